/** The description of each group of operations. */
export const TAGS: Readonly<Record<string, string>> = {
  Signals: 'Raw events of AI tools, one per call: what everything else is computed from.',
  Sessions: 'Periods of activity of one user, project and adapter, with the signals in them.',
  Budgets: 'Thresholds on usage, which raise events at 80 % and at 100 %.',
  Raises: 'Requests of people for more of a budget, which admins answer.',
  Anomalies: 'Sessions that are unlike what is usual for their user.',
  Usage: 'Sums of usage and cost, as an answer, a file, or analytics that single out no member.',
  Webhooks: 'Endpoints that receive signed events, and the log of what was sent to them.',
  Events: 'The requests that the endpoint of a webhook receives.',
  Organization: 'Settings and limits, and the log of who changed what.',
  Credits: 'Credits that are spent for signed outputs, and the ledger of all changes.',
  Devices: 'Machines that spend the credits of an account.',
  Members: 'The people of an organization.',
  Keys: 'API keys of an organization.',
  OpenTelemetry: 'OTLP/HTTP: usage as coding agents and SDKs report it.',
  MCP: 'The Model Context Protocol: the same figures and budgets as tools of an agent.',
  Operations: 'Probes, metrics and corrections for those who run the service.',
};
