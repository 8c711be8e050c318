# An image with the service and its command line only: no shell, no package manager, no file that its user may write.
#
#   docker build --build-arg VERSION=1.0.0 --build-arg REVISION="$(git rev-parse HEAD)" --tag animal-store .
#   docker run --rm animal-store dist/main.js config
#
# Both base images are pinned by the digest of their index, so a build is the same for every platform and on every day.
# Pull requests update them (.github/dependabot.yml). Both are Debian 13, so better-sqlite3's native code fits both.
FROM node:24.21.0-trixie-slim@sha256:173f125896c3b47ddf056734c7ea789d04595a6a08769a8f78e0df642781fb66 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY docs/api.md docs/api.md
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/.cache

# Fills the compile cache, which saves CPU time at each start. It is valid for this Node, this user and this type of
# CPU; elsewhere Node ignores it. Node makes its files readable for their owner only, and in the image root owns them,
# hence the chmod.
FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:9eeb7f5887d0e239e78264b06f7f11d2e14be534050481803a9e4728fcdd278e AS warm
WORKDIR /app
COPY --from=build --chown=65532:65532 /app ./
USER 65532:65532
RUN ["/nodejs/bin/node", "dist/main.js", "openapi"]
RUN ["/nodejs/bin/node", "--eval", "for (const path of fs.globSync('node_modules/.cache/*/*/*')) fs.chmodSync(path, 0o644)"]

FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:9eeb7f5887d0e239e78264b06f7f11d2e14be534050481803a9e4728fcdd278e
ARG VERSION=unreleased
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="Animal Store" \
      org.opencontainers.image.description="An HTTP/JSON service that keeps a store of animals" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.base.name="gcr.io/distroless/nodejs24-debian13:nonroot"
# The heap may use 65 % of the container's memory, and new objects 48 MiB. The rest is for buffers, code and the stack,
# so that V8 collects garbage before the kernel kills the process. By default V8 would give new objects 3 MiB in a
# container of 512 MiB, and collect them constantly: docs/benchmarks.md, "Memory".
ENV NODE_ENV=production \
    NODE_OPTIONS="--max-old-space-size-percentage=65 --max-semi-space-size=16" \
    REVISION="$REVISION"
WORKDIR /app
# Owned by root, so the process can read its program but not change it.
COPY --from=build /app/package.json ./
COPY --from=warm /app/node_modules node_modules
COPY --from=build /app/docs docs
COPY --from=build /app/dist dist
USER 65532:65532
EXPOSE 3000 9090
STOPSIGNAL SIGTERM
# The entry point of the base image is Node itself, so Node is process 1 and receives SIGTERM. Another command, for
# example `dist/main.js migrate`, replaces this one.
CMD ["dist/main.js"]
