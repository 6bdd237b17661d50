import type { Database } from 'bun:sqlite'

import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { DEFAULT_GRAPH_VERSION, nearEndOf } from '../../../lib/graph-versions'
import { note, ok, problem, type DoctorFinding } from './finding'

const FAR_OFF_MS = 2 * MINUTE_MS

const headOf = (url: string): Promise<Response> =>
  fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) })

/** Checks that the host at which the platform archives templates is reachable, if it is another one. */
export async function checkArchive(
  archiveUrl: string,
  { baseUrl }: { baseUrl: string },
): Promise<DoctorFinding[]> {
  const { host, origin } = new URL(archiveUrl)
  if (origin === new URL(baseUrl).origin) return []
  try {
    await headOf(archiveUrl)
    return [ok('archive', 'The host that archives templates is reachable.')]
  } catch {
    return [
      note(
        'archive',
        'archive_unreachable',
        `${host} cannot be reached, so templates cannot be archived or restored. Add it to the ` +
          'hosts that the firewall allows.',
        { host },
      ),
    ]
  }
}

/** Checks that the platform is reachable and that the clocks agree. */
export async function checkPlatform(
  baseUrl: string,
  nowMs: () => number,
): Promise<DoctorFinding[]> {
  try {
    const answer = await headOf(baseUrl)
    const theirs = Date.parse(answer.headers.get('date') ?? '')
    const offMs = Number.isNaN(theirs) ? 0 : Math.abs(theirs - nowMs())
    return [
      ok('platform', 'Reachable.'),
      offMs > FAR_OFF_MS
        ? problem(
            'clock',
            'clock_off',
            `The clock is off by ${Math.round(offMs / SECOND_MS)} seconds compared with the ` +
              'platform. Enable time synchronization.',
            { seconds: Math.round(offMs / SECOND_MS) },
          )
        : ok('clock', 'In sync with the platform.'),
    ]
  } catch {
    return [
      problem(
        'platform',
        'platform_unreachable',
        `${new URL(baseUrl).host} cannot be reached, so nothing can be sent. Check network, ` +
          'DNS and firewall.',
        { host: new URL(baseUrl).host },
      ),
    ]
  }
}

/**
 * Checks that no Graph API version in use ends within six months: that of new phone numbers, and
 * those of connected ones, if there is a database.
 */
export function checkVersions(
  newNumbers: string,
  sqlite: Database | null,
  nowMs: number,
): DoctorFinding[] {
  const used =
    sqlite
      ?.query<{ version: string; numbers: number }, []>(
        'select api_version as version, count(*) as numbers from accounts where deleted_at_ms is null group by 1 order by 1',
      )
      .all() ?? []
  const endOf = (version: string, where: string, numbers = 0): DoctorFinding[] => {
    const end = nearEndOf(version, nowMs)
    const message = `${end?.sentence ?? ''} ${where} to ${DEFAULT_GRAPH_VERSION} or later.`
    const code = numbers === 0 ? 'version_of_new_numbers' : 'version_of_numbers'
    const setting = 'PLATFORM_API_VERSION'
    const values = { version, count: numbers, wanted: DEFAULT_GRAPH_VERSION, setting }
    return end === null ? [] : [(end.isOver ? problem : note)('version', code, message, values)]
  }
  const found = [
    ...endOf(newNumbers, 'New phone numbers use it: set PLATFORM_API_VERSION'),
    ...used.flatMap(({ version, numbers }) =>
      endOf(
        version,
        `${numbers} ${numbers === 1 ? 'phone number uses' : 'phone numbers use'} it: change the ` +
          'version in the settings of the number',
        numbers,
      ),
    ),
  ]
  return found.length === 0
    ? [ok('version', 'No Graph API version in use ends within six months.')]
    : found
}
