"""Real servers for tests, demo and benchmarks: PostgreSQL 13 to 18, Kafka, Debezium, and Postrider itself.

READ THIS FIRST. Everything runs on free ports of the loopback address with its files under one scratch folder. Whatever is
started here ends with this process, however it ends: see process.py. Nothing is shared with servers of the machine.
"""
from .consume import Record
from .debezium import Debezium
from .kafka import Cluster, Kafka
from .outbox import Site
from .postgres import Postgres
from .process import Background, Child, cleanup, free_port, new_folder, scratch, wait_for
from .proxy import Proxy
from .relay import ExitCode, Relay

__all__ = ["Background", "Child", "Cluster", "Debezium", "ExitCode", "Kafka", "Postgres", "Proxy", "Record", "Relay", "Site", "cleanup", "free_port",
           "new_folder", "scratch", "wait_for"]
