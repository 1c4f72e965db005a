# The dashboard's files; its tools stay out of the image below.
FROM node:26-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/dashboard/build.ts

# One image for the api, the worker and the release step; the command decides (see Procfile and compose.yaml).
FROM node:26-slim
# The last: glibc gives back what a process has freed.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY package.json package-lock.json ./
# The base image is Node 26 already, so the npm package that carries Node need not run its installer.
RUN npm install --omit=dev --no-save --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY . .
COPY --from=dashboard /app/packages/dashboard/dist packages/dashboard/dist
USER node
EXPOSE 8080
# node itself is process 1, so SIGTERM reaches it and it can finish what is under way.
CMD ["node", "api/main.ts"]
