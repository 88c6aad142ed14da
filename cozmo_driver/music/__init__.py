"""Songs and dances: written notes, MIDI files, the beat of sound files, their performance."""

from __future__ import annotations

from .beats import NoBeat, beats_of
from .midi import MIDI_SUFFIXES, song_from_midi
from .performer import LONGEST_DANCE, MusicProgress, Performed, Performer
from .song import FASTEST, SLOWEST, Note, Song, SongError, note_name, read_song, song_of, text_of
from .songbook import SongNotFound, find_song, open_song, songs_by_name, user_songs
