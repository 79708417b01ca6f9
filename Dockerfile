# Two stages: Debian's compiler builds, a small Debian runs. The program needs no rights, and writes one small file: the
# evidence record, under /var/lib/postrider. Keep that folder in a volume.
#
#   docker build -t postrider .
#   docker run --rm -v "$PWD/postrider.properties:/etc/postrider/postrider.properties:ro" -v postrider:/var/lib/postrider postrider
FROM debian:12 AS build
WORKDIR /src
COPY scripts scripts
RUN scripts/install-deps build && rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY decoder decoder
COPY src src
RUN cmake --preset release -DPOSTRIDER_TESTS=OFF && cmake --build --preset release --target postrider && strip build/release/postrider

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates libabsl20220623 libcpp-httplib0.11 libcurl4 libfmt9 libpcre2-8-0 libpq5 \
      libprometheus-cpp-core1.0 libsasl2-2 libspdlog1.10 libssl3 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin postrider \
 && install -d -o 10001 -m 0750 /var/lib/postrider
COPY --from=build /src/build/release/postrider /usr/local/bin/postrider
COPY doc/postrider.1 /usr/local/share/man/man1/postrider.1
USER 10001
STOPSIGNAL SIGTERM
ENTRYPOINT ["postrider"]
CMD ["run", "/etc/postrider/postrider.properties"]
