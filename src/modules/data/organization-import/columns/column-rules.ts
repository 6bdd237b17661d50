import { declaredColumns, type TableFate } from '../../../../infra/table-fates'
import { users } from '../../../organization/users/table'
import { CONTENT_RULES } from './contents'
import { declaredRule, flagRule } from './declared'
import { ORGANIZATION_RULES } from './organization'
import type { ColumnRule } from './rule'
import { SECRET_RULES } from './secrets'
import { WRITTEN_RULES } from './written'

/** Returns what the columns of a table must be: as it is declared, and as its module reads them. */
export function rulesOf({
  table,
  kind,
  declared,
}: Pick<TableFate, 'table' | 'kind' | 'declared'>): ReadonlyMap<string, ColumnRule> {
  const rules = new Map<string, ColumnRule>()
  for (const column of declared) {
    const rule = declaredRule(column, { isOfCounts: kind === 'derived' })
    if (rule) rules.set(column.name, rule)
  }
  for (const all of [ORGANIZATION_RULES, WRITTEN_RULES, CONTENT_RULES, SECRET_RULES])
    for (const [column, rule] of Object.entries(all[table] ?? {})) rules.set(column, rule)
  return rules
}

/** Returns what the columns of people must be. */
export const userRules = (): ReadonlyMap<string, ColumnRule> =>
  new Map([
    ...rulesOf({ table: 'users', kind: 'shared', declared: declaredColumns(users) }),
    ...['is_member', 'is_home', 'has_totp'].map((column) => [column, flagRule] as const),
  ])
