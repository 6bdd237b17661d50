import { writeFileSync } from 'node:fs'

import { printJson } from '../lib/print-json'
import alerts from '../modules/operation/system/monitoring/alerts.yml' with { type: 'text' }
import dashboard from '../modules/operation/system/monitoring/dashboard.json'
import { textOf, UsageError, type Command } from './command'

/** The files for a monitoring system, by the subcommand that writes them. */
const FILES = new Map<string, () => string>([
  ['alerts', () => alerts],
  ['dashboard', () => printJson(dashboard)],
])

/** Writes the alert rules and the dashboard that belong to this version. Needs no data folder. */
export const monitoring: Command = {
  name: 'monitoring',
  forms: [
    ['monitoring alerts [--out FILE]', 'write the alert rules for Prometheus'],
    ['monitoring dashboard [--out FILE]', 'write the dashboard for Grafana'],
  ],
  more: 'Both expect the scrape job to be named "switchboard", as in /docs/operate.',
  flags: { out: { type: 'string' } },
  words: 1,
  run({ words: [verb], flags }) {
    if (verb === undefined)
      throw new UsageError(`monitoring needs a subcommand: ${[...FILES.keys()].join(' or ')}.`)
    const text = FILES.get(verb)?.()
    if (text === undefined) throw new UsageError(`Unknown command "monitoring ${verb}".`)
    const out = textOf(flags, 'out')
    if (out === undefined) process.stdout.write(text)
    else writeFileSync(out, text)
  },
}
