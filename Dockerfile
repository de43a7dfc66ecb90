# The service with its dashboard. PostgreSQL is a separate server (DATABASE_URL); the image does not contain the embedded one,
# because every upgrade replaces the container and would lose the database.

FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc LICENSE ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY web/package.json web/

# Install scripts would download programs that the image does not need.
FROM manifests AS web
RUN npm ci --workspace=web --omit=dev --ignore-scripts
COPY tsconfig.base.json ./
COPY scripts scripts
COPY contract contract
COPY web web
RUN node node_modules/vite/bin/vite.js build --config web/vite.config.ts --logLevel warn && node scripts/compress.mjs web/dist

FROM manifests AS server
RUN npm ci --workspace=server --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=server /app ./
COPY contract/src contract/src
COPY server/sql server/sql
COPY server/src server/src
COPY --from=web /app/web/dist web/dist
# Compiles the code once, so that every start uses the compiled code.
ENV NODE_COMPILE_CACHE=/app/.cache/node-compile
RUN mkdir .cache && chown node .cache
# For metrics and the doctor: docker build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=unknown
RUN echo $COMMIT > commit
USER node
RUN node --max-semi-space-size=16 --heap-growing-percent=50 server/src/main.ts none; [ $? = 2 ]
EXPOSE 3000
# Uses bash, because starting Node.js every few seconds would cost more than an idle service.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${PORT} && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
# Node.js receives SIGTERM and drains. Allow it 30 seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=50", "server/src/main.ts"]
