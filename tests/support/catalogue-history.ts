import type { SystemRole } from '../../src/modules/organization/roles/catalog'
import type { CatalogChange } from '../../src/modules/organization/roles/catalog-migrations'

/**
 * The catalog of the first release: the roles that hold each action, a for admin, m for manager, g
 * for agent. Repeated here on purpose: a change of the catalog adds a numbered step, not a line
 * here.
 */
const FIRST_RELEASE: Record<string, string> = {
  users: 'read:am create:a update:a delete:a',
  roles: 'read:am create:a update:a delete:a',
  organizations: 'read:am create:a export:a delete:a assign:a',
  settings: 'read:am update:a',
  accounts: 'read:amg create:am update:am delete:am',
  contacts:
    'read:amg read_all:am read_unassigned:amg create:am update:am delete:am import:am export:am unmask:am',
  tags: 'read:amg create:am update:am delete:am',
  messages: 'read:amg create:amg',
  templates: 'read:amg create:am update:am delete:am sync:am',
  flows: 'read:am create:am update:am delete:am',
  canned_responses: 'read:amg create:am update:am delete:am',
  campaigns: 'read:am create:am update:am delete:am execute:am',
  chatbot: 'read:am create:am update:am delete:am',
  transfers: 'read:amg create:amg assign:am pickup:amg',
  teams: 'read:am create:am update:am delete:am',
  custom_actions: 'read:amg create:am update:am delete:am',
  webhooks: 'read:am create:am update:am delete:am',
  api_keys: 'read:a create:a update:a delete:a',
  analytics: 'read:am',
  audit_logs: 'read:a',
  jobs: 'read:am retry:am',
}

/** Returns the permissions of a role after a step of the catalog's history. */
function after(pairs: string[], step: CatalogChange, role: SystemRole): string[] {
  if (step.kind === 'add') return step.roles.includes(role) ? [...pairs, step.pair] : pairs
  const from = step.kind === 'remove' ? step.pair : step.from
  const to = step.kind === 'remove' ? [] : [step.to].flat()
  return pairs.includes(from) ? [...pairs.filter((pair) => pair !== from), ...to] : pairs
}

const LETTERS: Record<SystemRole, string> = { admin: 'a', manager: 'm', agent: 'g' }

/** Returns the permissions of a system role from the first release and all steps since. */
function heldByHistory(role: SystemRole, steps: readonly CatalogChange[]): string[] {
  const held = Object.entries(FIRST_RELEASE).flatMap(([resource, actions]) =>
    actions
      .split(' ')
      .map((action) => action.split(':'))
      .filter(([, holders]) => holders?.includes(LETTERS[role]))
      .map(([action]) => `${resource}:${action}`),
  )
  return steps.reduce<string[]>((pairs, step) => after(pairs, step, role), held)
}

/**
 * Returns a sentence for each difference between the catalog and its history, with what to write
 * into which file.
 */
export function catalogueProblems(
  catalogue: Record<SystemRole, readonly string[]>,
  steps: readonly CatalogChange[],
): string[] {
  const next = steps.length + 1
  return (Object.keys(LETTERS) as SystemRole[]).flatMap((role) => {
    const history = heldByHistory(role, steps)
    const added = catalogue[role].filter((pair) => !history.includes(pair))
    const gone = history.filter((pair) => !catalogue[role].includes(pair))
    return [
      ...added.map(
        (pair) =>
          `${pair} is new for the role ${role}: add step ${next} to CATALOG_CHANGES in src/modules/organization/roles/catalog-migrations.ts, for example { number: ${next}, kind: 'add', pair: '${pair}', roles: ['${role}'] }`,
      ),
      ...gone.map(
        (pair) =>
          `${pair} was taken from the role ${role}: add step ${next} to CATALOG_CHANGES in src/modules/organization/roles/catalog-migrations.ts (rename, split or remove), or put it back into src/modules/organization/roles/catalog.ts`,
      ),
    ]
  })
}
