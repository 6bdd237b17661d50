import type { Config } from './config'
import { folderProblem } from './infra/backup/folder'

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

/**
 * Returns what the operator should know of a server that has started, one sentence or two each: a
 * backup folder that cannot be used, and addresses that are open to others.
 */
export const startNotices = (
  config: Pick<Config, 'host' | 'baseUrl' | 'metricsAddress' | 'metricsToken'>,
  at: { port: number; backupFolder: string | null },
): string[] => [
  ...[at.backupFolder === null ? null : folderProblem(at.backupFolder)].filter(
    (problem) => problem !== null,
  ),
  ...(LOOPBACK.test(config.host) || config.baseUrl.startsWith('https:')
    ? []
    : [openTo(config, at)]),
  ...(config.metricsAddress === null ||
  config.metricsToken !== null ||
  LOOPBACK.test(config.metricsAddress.host)
    ? []
    : [OPEN_METRICS]),
]

const OPEN_METRICS =
  'Metrics are open to everybody who reaches METRICS_ADDRESS. Set METRICS_TOKEN, or an address of ' +
  'this machine only.'

const openTo = ({ host }: Pick<Config, 'host'>, { port }: { port: number }): string =>
  `Plain HTTP on port ${port} is open to everybody who reaches this machine (HOST is ${host}): others can read passwords ` +
  'and messages on the way. Put a reverse proxy with TLS in front of it and set BASE_URL to its ' +
  'https address, or set HOST=127.0.0.1.'
