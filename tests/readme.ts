/**
 * Writes what is generated into pages of the documentation, each between its two markers: the
 * settings of `src/environment.ts`, the event types of outbound webhooks, the figures of reports, and
 * the files of `src/deploy/`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES, partsOfErrorCode, type ErrorCode } from '../src/http/error-codes'
import { createMetrics } from '../src/infra/metrics/metrics'
import { configTable } from '../src/environment-docs'
import { figureTable, REPORTS } from '../src/modules/insight/analytics/documentation'
import {
  permissionFacts,
  permissionsOfSystemRole,
  SYSTEM_ROLES,
} from '../src/modules/organization/roles/catalog'
import { WEBHOOK_EVENTS } from '../src/modules/delivery/realtime/webhook-events'

/** A generated table: its page, and the name in its markers. */
export interface GeneratedTable {
  page: string
  name: string
  write: () => string
}

/** The table of event types. */
const eventTable = (): string =>
  [
    '| Event | Meaning |',
    '| --- | --- |',
    ...WEBHOOK_EVENTS.map(({ value, description }) => `| \`${value}\` | ${description} |`),
  ].join('\n')

/** The table of permissions, with the roles of the system that hold each. */
function permissionTable(): string {
  const roles = SYSTEM_ROLES.map(({ name }) => new Set<string>(permissionsOfSystemRole(name)))
  return [
    '| Permission | Allows | Admin | Manager | Agent |',
    '| --- | --- | --- | --- | --- |',
    ...permissionFacts().map(
      ({ key, description }) =>
        `| \`${key}\` | ${description} | ${roles.map((held) => (held.has(key) ? 'yes' : '')).join(' | ')} |`,
    ),
  ].join('\n')
}

/** A rule of Prometheus, as far as its table needs it. */
interface AlertRule {
  alert: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

/** Text of an alert as people read it, without the values that Prometheus fills in. */
const withoutValues = (text: string): string =>
  text
    .replaceAll(/\{\{ *(?:with|end|if)[^}]*\}\}/g, '')
    .replaceAll(/\{\{[^}]*\}\}/g, '…')
    .replace(' at … does', ' does')
    .replace(': ….', '.')
    .replace(/(waited|for) …/, '$1 too long')
    .replaceAll('|', '\\|')

/** The table of alerts. */
function alertTable(): string {
  const text = readFileSync(
    join(import.meta.dir, '../src/modules/operation/system/monitoring/alerts.yml'),
    'utf8',
  )
  const { groups } = Bun.YAML.parse(text) as { groups: { rules: AlertRule[] }[] }
  return [
    '| Alert | Severity | Says | Do this |',
    '| --- | --- | --- | --- |',
    ...groups.flatMap(({ rules }) =>
      rules.map(
        ({ alert, labels, annotations }) =>
          `| \`${alert}\` | ${labels.severity} | ${withoutValues(annotations.summary)} | ${withoutValues(annotations.description)} |`,
      ),
    ),
  ].join('\n')
}

/** The table of metrics. */
async function metricTable(): Promise<string> {
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  return [
    '| Metric | Kind | Meaning |',
    '| --- | --- | --- |',
    ...metrics
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, type, help }) => `| \`${name}\` | ${String(type)} | ${help} |`),
  ].join('\n')
}

const METRICS = await metricTable()

/** The table of error codes. */
const errorTable = (): string =>
  [
    '| Code | Status | Meaning |',
    '| --- | --- | --- |',
    ...Object.entries(ERROR_CODES)
      .map(([key, meaning]) => ({ ...partsOfErrorCode(key as ErrorCode), meaning }))
      .toSorted((a, b) => (a.code < b.code ? -1 : 1))
      .map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |`),
  ].join('\n')

/** A file that people copy to their server, as a block of a page. */
const fileBlock = (name: string, language: string): GeneratedTable => ({
  page: 'src/docs/operate.md',
  name,
  write: () => {
    const text = readFileSync(join(import.meta.dir, '../src/deploy', name), 'utf8')
    return `\`\`\`${language}\n${text}\`\`\``
  },
})

/** All generated tables. */
export const TABLES: GeneratedTable[] = [
  fileBlock('switchboard.service', 'ini'),
  fileBlock('compose.yaml', 'yaml'),
  { page: 'src/docs/configure.md', name: 'configuration', write: configTable },
  { page: 'src/docs/integrate.md', name: 'events', write: eventTable },
  { page: 'src/docs/roles.md', name: 'permissions', write: permissionTable },
  { page: 'src/docs/monitor.md', name: 'alerts', write: alertTable },
  { page: 'src/docs/monitor.md', name: 'metrics', write: () => METRICS },
  { page: 'src/docs/errors.md', name: 'errors', write: errorTable },
  ...REPORTS.map((report) => ({
    page: 'src/docs/analytics.md',
    name: report,
    write: () => figureTable(report),
  })),
]

/**
 * Returns the page with the table between its markers replaced by `table`. Throws when a marker is
 * missing or there twice.
 */
export function withTable(text: string, name: string, table: string): string {
  const [from, to] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`]
  const [before, rest, ...surplus] = text.split(from)
  const [, after, ...more] = (rest ?? '').split(to)
  if (before === undefined || after === undefined || surplus.length > 0 || more.length > 0)
    throw new Error(
      `the page needs ${from.trim()} and ${to.trim()} once each, on lines of their own`,
    )
  return before + from + table + to + after
}

if (import.meta.main)
  for (const { page, name, write } of TABLES) {
    const path = join(import.meta.dir, '..', page)
    writeFileSync(path, withTable(readFileSync(path, 'utf8'), name, write()))
  }
