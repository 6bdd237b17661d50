import type { Db } from '../../infra/db/connection'
import { MigrationError } from '../../infra/db/migrate'
import type { SystemRole } from './catalog'
import { permissionSeeds } from './table'

/** One numbered change of the catalogue, for databases made before it. */
export type SeedStep = { number: number } & (
  | { kind: 'add'; pair: string; roles: SystemRole[] }
  | { kind: 'rename'; from: string; to: string }
  | { kind: 'split'; from: string; to: string[] }
  | { kind: 'remove'; pair: string }
)

/** A pair that goes, and those that take its place wherever it was held. */
export interface PairChange {
  from: string
  to: string[]
}

/** Every change of the catalogue since the first release, oldest first, numbered from 1. */
export const SEEDS: readonly SeedStep[] = []

/**
 * Takes a database through the steps it has not been through, in order, in the transaction of the
 * migrations; `inKeys` does the same for API keys. An added pair goes to system roles alone; what
 * takes the place of another goes to whoever held that. Returns the numbers of the steps. Throws
 * MigrationError when a newer program has been here.
 */
export function runSeeds(
  db: Db,
  options: {
    nowMs: number
    inKeys: (db: Db, change: PairChange) => void
    steps?: readonly SeedStep[]
  },
): number[] {
  const steps = options.steps ?? SEEDS
  const done = db.orm
    .select()
    .from(permissionSeeds)
    .all()
    .map(({ number }) => number)
  const newest = Math.max(0, ...steps.map(({ number }) => number))
  const newer = done.find((number) => number > newest)
  if (newer !== undefined)
    throw new MigrationError(
      `The database is newer than this version (its permissions are at ${newer}). Start the ` +
        'newer version.',
    )
  const pending = steps
    .filter(({ number }) => !done.includes(number))
    .toSorted((a, b) => a.number - b.number)
  for (const step of pending) {
    if (step.kind === 'add') add(db, step)
    else {
      const change = changeOf(step)
      replaceInRoles(db, change)
      options.inKeys(db, change)
    }
    db.orm.insert(permissionSeeds).values({ number: step.number, appliedAtMs: options.nowMs }).run()
  }
  return pending.map(({ number }) => number)
}

function changeOf(step: Exclude<SeedStep, { kind: 'add' }>): PairChange {
  if (step.kind === 'remove') return { from: step.pair, to: [] }
  return { from: step.from, to: step.kind === 'rename' ? [step.to] : step.to }
}

function add(db: Db, step: { pair: string; roles: SystemRole[] }): void {
  for (const role of step.roles)
    db.sqlite.run(
      `insert or ignore into role_permissions (organization_id, role_id, permission)
       select organization_id, id, ? from roles where is_system = 1 and name_key = ?`,
      [step.pair, role],
    )
}

function replaceInRoles(db: Db, { from, to }: PairChange): void {
  for (const pair of to)
    db.sqlite.run(
      `insert or ignore into role_permissions (organization_id, role_id, permission)
       select organization_id, role_id, ? from role_permissions where permission = ?`,
      [pair, from],
    )
  db.sqlite.run('delete from role_permissions where permission = ?', [from])
}
