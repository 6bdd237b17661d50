import type { Db } from '../../../infra/db/connection'
import { NewerDatabaseError } from '../../../infra/db/migrate'
import type { SystemRole } from './catalog'
import { permissionSeeds } from './table'

/** A numbered change of the permission catalog, for databases created before it. */
export type CatalogChange = { number: number } & (
  | { kind: 'add'; pair: string; roles: SystemRole[] }
  | { kind: 'rename'; from: string; to: string }
  | { kind: 'split'; from: string; to: string[] }
  | { kind: 'remove'; pair: string }
)

/** A permission that is removed, and those that replace it wherever it is held. */
export interface PermissionReplacement {
  from: string
  to: string[]
}

/** All changes of the catalog since the first release, oldest first, numbered from 1. */
export const CATALOG_CHANGES: readonly CatalogChange[] = []

/**
 * Applies the changes of the catalog that the database does not have yet, in order, in the
 * transaction of the migrations. `inKeys` does the same for API keys. An added permission goes only
 * to system roles; a replacement goes to every role and key that held the replaced one. Returns the
 * numbers applied. Throws NewerDatabaseError if a newer version has used the database.
 */
export function applyCatalogChanges(
  db: Db,
  options: {
    nowMs: number
    inKeys: (db: Db, change: PermissionReplacement) => void
    steps?: readonly CatalogChange[]
  },
): number[] {
  const steps = options.steps ?? CATALOG_CHANGES
  const done = db.orm
    .select()
    .from(permissionSeeds)
    .all()
    .map(({ number }) => number)
  const newest = Math.max(0, ...steps.map(({ number }) => number))
  const newer = done.find((number) => number > newest)
  if (newer !== undefined) throw new NewerDatabaseError(`its permissions are at ${newer}`)
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

function changeOf(step: Exclude<CatalogChange, { kind: 'add' }>): PermissionReplacement {
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

function replaceInRoles(db: Db, { from, to }: PermissionReplacement): void {
  for (const pair of to)
    db.sqlite.run(
      `insert or ignore into role_permissions (organization_id, role_id, permission)
       select organization_id, role_id, ? from role_permissions where permission = ?`,
      [pair, from],
    )
  db.sqlite.run('delete from role_permissions where permission = ?', [from])
}
