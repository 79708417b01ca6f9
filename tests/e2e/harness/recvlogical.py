"""pg_recvlogical to nowhere: the measure of how fast the server alone can stream."""
import time

from .process import Child, new_folder


def seconds_to_read(postgres, database, slot, publication, end_lsn, timeout_s=600):
    """Reads the slot from where it stands to end_lsn; seconds from start to end."""
    started = time.monotonic()
    child = Child("pg_recvlogical", ["pg_recvlogical", "-h", "127.0.0.1", "-p", postgres.port, "-U", "postgres", "-d", database, "-S", slot,
                                     "--start", "-o", "proto_version=1", "-o", f"publication_names={publication}", "-f", "/dev/null",
                                     "--endpos", end_lsn, "--no-loop"], new_folder("recvlogical") / "log")
    if child.wait(timeout_s) != 0:
        raise RuntimeError(f"pg_recvlogical failed\n{child.tail()}")
    return time.monotonic() - started
