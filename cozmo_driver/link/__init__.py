"""UDP adapter of the protocol: sockets, timers and the thread that owns them."""

from __future__ import annotations

from .field_recorder import Datagram, FieldRecorder, write_datagrams
from .loop import Backoff, LoopThread, end, run_in, set_at, shorten_pauses, with_timeout
from .pcap import PcapWriter
from .sockets import LinkError, adapter_towards, open_socket, reverse_path_hint
from .udp import LinkStatistics, UdpLink
