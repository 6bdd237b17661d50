import { describe } from 'bun:test'

import { codeOf, type Source } from '../support/sources'
import { file, isTable, lineAt, rule } from './support'

describe('tenants', () => {
  const table = file(
    'src/modules/contacts/table.ts',
    "export const contacts = tableWithPeople('contacts', of, {",
    "  organizationId: text('organization_id'),",
    '})',
  )
  rule('every query of tenant data starts from its organization', unscoped, {
    refuses: [
      [
        table,
        file(
          'src/modules/contacts/service.ts',
          'db.select().from(contacts).where(eq(contacts.id, id)).get()',
        ),
      ],
      [
        table,
        file(
          'src/modules/contacts/service.ts',
          'tx.update(contacts)',
          '  .set({})',
          '  .where(eq(contacts.id, id))',
          '  .run()',
        ),
      ],
      [table, file('src/modules/contacts/service.ts', 'tx.delete(contacts).run()')],
    ],
    accepts: [
      table,
      file(
        'src/modules/contacts/service.ts',
        'db.select().from(contacts).where(inOrganization(ctx, contacts)).get()',
      ),
      file(
        'src/modules/contacts/queries.ts',
        'const filter = inOrganization(ctx, contacts)',
        '',
        'db.select().from(contacts).where(filter).all()',
      ),
      file(
        'src/modules/contacts/expire.ts',
        "tx.delete(contacts).where(acrossOrganizations('pruned at once', isOld)).run()",
      ),
    ],
  })
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
          /const (\w+)(?:(?!\n\s*const |\n\n)[^])*?\b(?:inOrganization|acrossOrganizations)\(/g,
        ),
      ].map((match) => match[1])
      const proof = new RegExp(
        `\\b(?:${[...scoped, 'inOrganization', 'acrossOrganizations'].join('|')})\\b`,
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
