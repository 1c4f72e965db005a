import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../../packages/stack/files.ts';
import { PLANS, ROLES } from '../../shared/platform/basics/contract.ts';

const demoMember = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  teams: z.array(z.string()),
  /** Kept, so that a second start prints the same ones; null until there is one. */
  session_token: z.string().nullable().default(null),
  mcp_token: z.string().nullable().default(null),
  device: z.object({ device_id: z.string(), device_token: z.string() }).nullable().default(null),
});
const demoOrganization = z.object({
  org_id: z.string(),
  name: z.string(),
  plan: z.enum(PLANS),
  /** Null until the organization and its members are there. */
  api_key: z.string().nullable(),
  members: z.array(demoMember),
});
const demoFile = z.object({
  orgs: z.array(demoOrganization),
  /** Null until the demo traffic was begun; it ends at `until`, also when an interrupted play goes on. */
  traffic: z.object({ until: z.string(), played: z.boolean() }).nullable(),
});
/** The demo organizations of a data folder, and how far their traffic was played. */
export type Demo = z.infer<typeof demoFile>;

export type DemoOrganization = z.infer<typeof demoOrganization>;

const shownMember = demoMember.pick({ user_id: true, email: true, role: true }).extend({
  session_token: z.string().nullable(),
  mcp_token: z.string().nullable(),
  devices: z.array(z.object({ device_id: z.string(), device_token: z.string() })),
});
/** The organizations as `scripts/up --json` shows them. */
export const shownOrganizations = z.array(
  demoOrganization
    .pick({ org_id: true, plan: true, api_key: true })
    .extend({ members: z.array(shownMember) }),
);
export type ShownOrganization = z.infer<typeof shownOrganizations>[number];

/** The demo of a data folder; null when there is none yet. */
export function readDemo(dataDir: string): Demo | null {
  return demoFile.nullable().parse(readJson(demoPath(dataDir)));
}

/** Keeps the demo of a data folder. */
export function writeDemo(dataDir: string, demo: Demo): void {
  writePrivateJson(demoPath(dataDir), demo);
}

function demoPath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
