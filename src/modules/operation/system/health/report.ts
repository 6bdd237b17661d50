import { existsSync } from 'node:fs'

import { isoTime, SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { listBackups, newestComplete } from '../backups/store'
import { note, type DoctorFinding } from '../finding'
import { databaseSizes, freeBytes } from '../metrics/collect'
import type { Lifecycle } from '../readiness'
import { areOnOtherDisks, diskBytes, findThoroughly } from './findings'
import type { CellView, FindingView, HealthReport } from './model'
import type { HealthWatch } from './watch'

const ORDER = ['problem', 'note', 'ok'] as const

/**
 * Returns how the installation is: what was found, worst first, its settings without secrets, and
 * sizes. `isThorough` also reads the structure of the database and asks the others.
 */
export async function healthReport(
  ctx: Ctx,
  { health, lifecycle }: { health: HealthWatch; lifecycle: Lifecycle },
  isThorough: boolean,
): Promise<HealthReport> {
  const [cells, thorough] = await Promise.all([
    cellStates(ctx, isThorough),
    isThorough ? findThoroughly(ctx) : [],
  ])
  const silent = cells.filter(({ state }) => state === 'unreachable')
  const found = [
    ...health.find(true),
    ...thorough,
    ...silent.map(({ address }) =>
      note('cells', 'cell_unreachable', `${address} does not respond.`, { address }),
    ),
  ]
  const { dataDir } = lifecycle
  const isThere = dataDir !== null && existsSync(dataDir)
  return {
    checked_at: isoTime(ctx.clock.nowMs()),
    thorough: isThorough,
    findings: ORDER.flatMap((state) => found.filter((one) => one.state === state)).map(viewOf),
    settings: settingsOf(ctx),
    cells,
    version: ctx.version,
    started_at: isoTime(lifecycle.startedAtMs),
    memory_bytes: process.memoryUsage.rss(),
    disk_free_bytes: isThere ? freeBytes(dataDir) : null,
    disk_bytes: isThere ? diskBytes(dataDir) : null,
    database_bytes: databaseSizes(ctx).database,
    backup: backupFacts(ctx, dataDir),
  }
}

const viewOf = ({ check, state, message, code, values }: DoctorFinding): FindingView => ({
  ...{ check, state, message },
  code: code ?? null,
  values: { ...values },
})

function settingsOf({ settings }: Ctx): HealthReport['settings'] {
  const { shown, sources, secretNames } = settings
  return Object.entries(shown).map(([name, value]) => ({
    name,
    value,
    secret: secretNames.includes(name),
    source: sources[name] ?? 'default',
  }))
}

function backupFacts(ctx: Ctx, dataDir: string | null): HealthReport['backup'] {
  const { folder } = ctx.backups
  const newest = newestComplete(listBackups(ctx))
  return {
    folder,
    elsewhere: areOnOtherDisks(folder, dataDir),
    interval_hours: ctx.settings.backups.intervalHours,
    keep: ctx.settings.backups.keep,
    newest_at: newest === null ? null : isoTime(newest.startedAtMs),
  }
}

const PATIENCE_MS = 5 * SECOND_MS

/** The servers that share the work, and which of them respond if they are asked. */
async function cellStates({ settings, version }: Ctx, isAsked: boolean): Promise<CellView[]> {
  const { cells } = settings
  if (cells === null) return []
  return await Promise.all(
    [cells.own, ...cells.peers].map(async (address): Promise<CellView> => {
      if (address === cells.own) return { address, own: true, state: 'reachable', version }
      const other = isAsked ? await versionOf(address) : undefined
      const state = other === undefined ? 'unknown' : other === null ? 'unreachable' : 'reachable'
      return { address, own: false, state, version: other ?? null }
    }),
  )
}

/** The version of another server, or `null` if it does not respond. */
async function versionOf(address: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const answer = await fetch(new URL('/health', address), { redirect: 'manual', signal })
    const { data } = (await answer.json()) as { data?: { version?: unknown } }
    return typeof data?.version === 'string' ? data.version.slice(0, 50) : null
  } catch {
    return null
  }
}
