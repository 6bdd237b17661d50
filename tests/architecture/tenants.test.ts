import { describe } from 'bun:test'

import { codeOf, type Source } from '../support/sources'
import { file, isTable, lineAt, rule } from './support'

describe('tenants', () => {
  const table = file(
    'src/modules/inbox/contacts/table.ts',
    "export const contacts = tableWithPeople('contacts', of, {",
    "  organizationId: text('organization_id'),",
    '})',
  )
  rule('every query of tenant data starts from its organization', unscoped, {
    refuses: [
      [
        table,
        file(
          'src/modules/inbox/contacts/service.ts',
          'db.select().from(contacts).where(eq(contacts.id, id)).get()',
        ),
      ],
      [
        table,
        file(
          'src/modules/inbox/contacts/service.ts',
          'tx.update(contacts)',
          '  .set({})',
          '  .where(eq(contacts.id, id))',
          '  .run()',
        ),
      ],
      [table, file('src/modules/inbox/contacts/service.ts', 'tx.delete(contacts).run()')],
    ],
    accepts: [
      table,
      file(
        'src/modules/inbox/contacts/service.ts',
        'db.select().from(contacts).where(inOrganization(ctx, contacts)).get()',
      ),
      file(
        'src/modules/inbox/contacts/queries.ts',
        'const filter = inOrganization(ctx, contacts)',
        '',
        'db.select().from(contacts).where(filter).all()',
      ),
      file(
        'src/modules/inbox/contacts/expire.ts',
        "tx.delete(contacts).where(inWorkingOrganizations('pruned at once', contacts, isOld)).run()",
      ),
    ],
  })

  rule('work on all organizations leaves those alone that arrive or leave', unguarded, {
    refuses: [
      [
        file(
          'src/modules/inbox/contacts/expire.ts',
          "tx.delete(contacts).where(acrossOrganizations('old contacts are pruned at once', isOld)).run()",
        ),
      ],
      [
        file(
          'src/modules/inbox/contacts/expire.ts',
          "const why = 'the sweep goes through all organizations'",
          'tx.delete(contacts).where(acrossOrganizations(why, isOld)).run()',
        ),
      ],
    ],
    accepts: [
      file(
        'src/modules/inbox/contacts/expire.ts',
        "tx.delete(contacts).where(inWorkingOrganizations('pruned at once', contacts, isOld)).run()",
      ),
      file(
        'src/modules/inbox/contacts/find.ts',
        "db.select().from(contacts).where(acrossOrganizations('the token names its organization', isIt))",
      ),
    ],
  })
})

/** Reasons of work that concerns organizations in every state. */
const IN_EVERY_STATE: ReadonlySet<string> = new Set([
  'a key rotation encrypts the secrets of all organizations',
  'a number that arrives is looked for in the few organizations that do',
  'a phone number can be connected once in the whole installation',
  'a restore concerns all organizations',
  'a super admin replays changes of all organizations',
  'a super admin sees all changes',
  'moves are listed for the installation',
  'one delivery may hold changes of several organizations',
  // It only reads: which organizations are on legal hold, and when a night is due in each.
  'the nightly schedule goes through all organizations',
])

/** Reasons that tell of work on all organizations, by a clock or at a start. */
const ON_ALL = /\bat once\b|\bgoes through\b|\blooks after\b|\ball organizations\b|\beach\b|\bage\b/

/** Queries of work on all organizations that do not say `inWorkingOrganizations`. */
const unguarded = (files: Source[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/modules/'))
    .flatMap((source) => {
      const text = codeOf(source)
      return [...text.matchAll(/acrossOrganizations\(\s*(?:'([^']*)'|(\w+))/g)]
        .map((match) => ({
          at: match.index,
          reason: match[1] ?? new RegExp(`const ${match[2]} = '([^']*)'`).exec(text)?.[1] ?? 'all',
        }))
        .filter(({ reason }) => ON_ALL.test(reason) && !IN_EVERY_STATE.has(reason))
        .map(({ at, reason }) => `${source.path}:${lineAt(text, at)}: '${reason}'`)
    })

/** Tables whose rows belong to an organization, by the name the code gives them. */
const tenantTablesOf = (files: Source[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/modules/') && isTable(path))
    .flatMap((source) =>
      codeOf(source)
        .split(/^export const /m)
        .slice(1)
        .filter(
          (definition) =>
            /\borganizationId\b/.test(definition) && !/^organizations\b/.test(definition),
        )
        .map((definition) => /^\w+/.exec(definition)?.[0] ?? ''),
    )

/**
 * Queries of tenant tables with neither `inOrganization` nor `acrossOrganizations`, themselves or
 * through a name of the same file that stands for one of them.
 */
function unscoped(files: Source[]): string[] {
  const tables = tenantTablesOf(files)
  const begin = new RegExp(`\\.(?:from|update|delete)\\(\\s*(?:${tables.join('|')})\\s*\\)`, 'g')
  return files
    .filter(({ path }) => path.startsWith('src/modules/') && !isTable(path))
    .flatMap((source) => {
      const text = codeOf(source)
      const scoped = [
        ...text.matchAll(
          /const (\w+)(?:(?!\n\s*const |\n\n)[^])*?\b(?:inOrganization|acrossOrganizations|inWorkingOrganizations)\(/g,
        ),
      ].map((match) => match[1])
      const proof = new RegExp(
        `\\b(?:${[...scoped, 'inOrganization', 'acrossOrganizations', 'inWorkingOrganizations'].join('|')})\\b`,
      )
      const found = [...text.matchAll(begin)].filter((match) => {
        const rest = text.slice(match.index)
        const end = /\.(?:all|get|run|prepare)\(|\n\n/.exec(rest)
        return !proof.test(rest.slice(0, end?.index ?? 600))
      })
      return found.map(
        (match) =>
          `${source.path}:${lineAt(text, match.index)}: ${match[0]} without inOrganization`,
      )
    })
}
