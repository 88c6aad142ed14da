"""SoundbanksInfo.xml, good and hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from cozmo_driver.resources.sound import banks_info
from cozmo_driver.resources.sound.banks_info import BankInfo, EventInfo, FileInfo, read_banks_info
from cozmo_driver.resources.sound.errors import SoundBankError

GOOD = r"""<?xml version="1.0" encoding="utf-8"?>
<SoundBanksInfo Platform="Test" SchemaVersion="10">
  <RootPaths><ProjectRoot>x</ProjectRoot></RootPaths>
  <StreamedFiles>
    <File Id="11" Language="SFX"><ShortName>one.wav</ShortName><Path>one_0A.wem</Path></File>
    <File Id="4294967295" Language="SFX"><ShortName>two.wav</ShortName></File>
  </StreamedFiles>
  <SoundBanks>
    <SoundBank Id="77" Language="SFX">
      <ObjectPath>\Banks\Noises</ObjectPath>
      <ShortName>Noises</ShortName>
      <Path>Noises.bnk</Path>
      <IncludedEvents>
        <Event Id="1" Name="Play__Test__Honk" ObjectPath="\Events\Honk"/>
        <Event Id="2" Name="Stop__Test__Honk" ObjectPath="\Events\Stop"/>
      </IncludedEvents>
      <ReferencedStreamedFiles><File Id="11" Language="SFX"/></ReferencedStreamedFiles>
      <IncludedMemoryFiles>
        <File Id="12" Language="SFX"><ShortName>three.wav</ShortName>
          <PrefetchSize>512</PrefetchSize></File>
      </IncludedMemoryFiles>
    </SoundBank>
  </SoundBanks>
</SoundBanksInfo>
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "SoundbanksInfo.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_events_banks_and_files_are_listed(tmp_path: Path) -> None:
    info = read_banks_info(write(tmp_path, GOOD))
    assert info.events == {
        1: EventInfo(1, "Play__Test__Honk", "\\Events\\Honk", "Noises"),
        2: EventInfo(2, "Stop__Test__Honk", "\\Events\\Stop", "Noises"),
    }
    assert info.banks == {77: BankInfo(77, "SFX", "Noises", "Noises.bnk")}
    assert info.streamed == {
        11: FileInfo(11, "SFX", "one.wav", "one_0A.wem"),
        0xFFFFFFFF: FileInfo(0xFFFFFFFF, "SFX", "two.wav"),
    }
    assert info.embedded == {12: FileInfo(12, "SFX", "three.wav", "", 512)}


ENTITIES = """<?xml version="1.0"?>
<!DOCTYPE SoundBanksInfo [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<SoundBanksInfo><StreamedFiles><File Id="1"><Path>&b;</Path></File></StreamedFiles></SoundBanksInfo>
"""
EXTERNAL = """<!DOCTYPE SoundBanksInfo SYSTEM "file:///etc/hostname"><SoundBanksInfo/>"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ENTITIES, "document type declaration"),
        (EXTERNAL, "document type declaration"),
        ("", "is no XML"),
        ("<SoundBanksInfo>", "is no XML"),
        ("<html/>", "begins with 'html'"),
        ("<SoundBanksInfo>" + "<a>" * 40, "nested deeper"),
        (f"<SoundBanksInfo><a>{'x' * 5000}</a></SoundBanksInfo>", "a text of more than"),
        ('<?xml version="1.0" encoding="nonsense"?><SoundBanksInfo/>', "is no XML"),
        (GOOD.replace('Id="11"', 'Id="11x"'), "Id is a whole number"),
        (GOOD.replace('Id="11"', 'Id="-1"'), "Id is a whole number"),
        (GOOD.replace('Id="11"', 'Id="4294967296"'), "at most 4294967295"),
        (GOOD.replace('Id="11"', ""), "Id is a whole number"),
        (GOOD.replace("512", "many"), "PrefetchSize is a whole number"),
    ],
    ids=lambda value: value if len(value) < 40 else "",
)
def test_a_hostile_file_is_refused_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SoundBankError, match=reason) as caught:
        read_banks_info(write(tmp_path, text))
    assert str(tmp_path) in str(caught.value)


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banks_info, "LARGEST_FILE", 200)
    with pytest.raises(SoundBankError, match="more than 200 bytes"):
        read_banks_info(write(tmp_path, GOOD))


def test_a_list_that_is_too_long_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banks_info, "MOST_ENTRIES", 3)
    with pytest.raises(SoundBankError, match="more than 3 entries"):
        read_banks_info(write(tmp_path, GOOD))
