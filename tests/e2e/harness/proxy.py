"""A TCP proxy in front of one port: it cuts and resets connections, holds bytes back, and slows them down.

One thread of its own; the methods are called from the test's. "up" is from the client to the server, "down" the other way.
"""
import asyncio
import socket
import struct
import threading

from .process import struck

DIRECTIONS = ("up", "down")
CHUNK_BYTES = 65536


class Proxy:
    def __init__(self, target_port=None):
        """`target_port` may be set later: a broker wants to know the proxy's port before it starts."""
        self.target_port, self.bytes_per_s, self.accepted = target_port, None, 0
        self._links, self._stalled_for_new, self._next_free_s = set(), (), 0.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = listening.getsockname()[1]
        self._server = self._call(asyncio.start_server(self._accept, sock=listening, limit=CHUNK_BYTES))

    def cut(self):
        """Ends all connections in an orderly way (FIN); the number of them."""
        return self._strike("connections cut", _Link.cut)

    def reset(self):
        """Ends all connections as a machine that knows nothing of them does (RST)."""
        return self._strike("connections reset", _Link.reset)

    def stall(self, *directions, new=False):
        """From now on nothing passes on the connections that there are, ends included; with `new`, on later ones neither.

        What a peer sends is still acknowledged by the kernel, as behind a middlebox that has forgotten the connection's other half."""
        directions = directions or DIRECTIONS
        self._stalled_for_new = directions if new else ()
        return self._strike("connections stalled", lambda link: link.stall(directions))

    def resume(self):
        self._stalled_for_new = ()
        return self._call(self._each(_Link.resume))

    def slow_down(self, bytes_per_s):
        """All connections together, from the client to the server; None: no limit."""
        self.bytes_per_s = bytes_per_s

    def links(self):
        return len(self._links)

    def close(self):
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def _end(self):
        self._server.close()
        await self._each(_Link.reset)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    def _strike(self, what, action):
        number = self._call(self._each(action))
        struck[what] += number
        return number

    async def _each(self, action):
        links = list(self._links)
        for link in links:
            action(link)
        return len(links)

    async def _accept(self, reader, writer):
        self.accepted += 1
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target_port, limit=CHUNK_BYTES)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(writer, server_writer)
        link.stall(self._stalled_for_new)
        self._links.add(link)
        try:
            await asyncio.gather(self._pump(link, "up", reader, server_writer), self._pump(link, "down", server_reader, writer))
        finally:
            self._links.discard(link)
            link.cut()

    async def _pump(self, link, direction, source, sink):
        try:
            while data := await source.read(CHUNK_BYTES):
                await link.flows[direction].wait()
                if direction == "up" and self.bytes_per_s:
                    await self._pace(len(data))
                sink.write(data)
                await sink.drain()
            await link.flows[direction].wait()
            sink.write_eof()
        except (OSError, RuntimeError):  # the connection is gone, or one end of it is being closed
            link.reset()

    async def _pace(self, size):
        now_s = self._loop.time()
        start_s = max(now_s, self._next_free_s)
        self._next_free_s = start_s + size / self.bytes_per_s
        await asyncio.sleep(start_s - now_s)


class _Link:
    """One client's connection and the one made for it."""

    def __init__(self, *writers):
        self.writers = writers
        self.flows = {direction: asyncio.Event() for direction in DIRECTIONS}
        self.resume()

    def stall(self, directions):
        for direction in directions:
            self.flows[direction].clear()

    def resume(self):
        for flow in self.flows.values():
            flow.set()

    def cut(self):
        for writer in self.writers:
            writer.close()
        self.resume()

    def reset(self):
        for writer in self.writers:
            if not writer.is_closing():
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        self.resume()
