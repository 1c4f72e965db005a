/** The ways by which `governor context` is told what is checked out, as docs/attribution.md has them. */
export const BRANCH_WAYS = {
  'claude-code': 'Claude Code',
  codex: 'Codex CLI',
  git: 'Git, for every tool in the checkout',
  otel: 'A job or program with OpenTelemetry',
} as const;
export type BranchWay = keyof typeof BRANCH_WAYS;

/** Where the settings of a way belong. */
export const BRANCH_PLACES: Record<BranchWay, string> = {
  'claude-code': 'Add this to ~/.claude/settings.json:',
  codex: 'Save this as ~/.codex/hooks.json, and trust the hooks with /hooks:',
  git: 'Save this as post-checkout, post-commit and post-merge in .git/hooks, or in the folder of core.hooksPath, and make the files executable:',
  otel: 'Set this where the process starts, with your repository and branch. It is wrong once the branch changes:',
};

const HOOK = { type: 'command', command: 'governor context --hook', timeout: 5 };
const ALWAYS = { hooks: [HOOK] };

/** The settings of a way, ready to paste. */
export function branchSettings(way: BranchWay): string {
  switch (way) {
    case 'claude-code':
      return json({
        hooks: {
          SessionStart: [ALWAYS],
          UserPromptSubmit: [ALWAYS],
          PostToolUse: [{ matcher: 'Bash', ...ALWAYS }],
          CwdChanged: [ALWAYS],
        },
      });
    case 'codex':
      return json({
        hooks: { SessionStart: [ALWAYS], UserPromptSubmit: [ALWAYS], PostToolUse: [ALWAYS] },
      });
    case 'git':
      return '#!/bin/sh\ngovernor context --git-hook || true';
    case 'otel':
      return 'OTEL_RESOURCE_ATTRIBUTES=vcs.repository.url.full=https://github.com/acme/shop,vcs.ref.head.name=main';
  }
}

function json(settings: object): string {
  return JSON.stringify(settings, null, 2);
}
