import { describe } from 'bun:test'

import { codeOf, ownImportsOf, type Source } from '../support/sources'
import { file, isTable, layerOf, lineAt, moduleOf, refusing, rule } from './support'

/** `data-dir` holds the folder with an exclusive transaction on a file of its own. */
const OPENS_TRANSACTIONS =
  /^src\/infra\/(db\/(transact|read-transaction|migrate|snapshot)|data-dir)\.ts$/

describe('who may write what', () => {
  rule('insert, update and delete of a table belong to its owner', foreignWrites, {
    refuses: [
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          'tx.insert(contacts).values({}).run()',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import { contacts as c } from '../contacts/table'",
          'tx',
          '  .update(c)',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import * as other from '../contacts/table'",
          'tx.delete(other.contacts).run()',
        ),
      ],
      [
        file(
          'src/modules/organization/users/service.ts',
          "import { jobs } from '../../../infra/jobs/table'",
          'tx.delete(jobs).run()',
        ),
      ],
      [
        file(
          'src/app.ts',
          "import { users } from './modules/users/table'",
          'db.orm.delete(users).run()',
        ),
      ],
      [
        file(
          'src/modules/inbox/contacts/table.ts',
          "export const contacts = tableWithPeople('contacts', of, {})",
        ),
        file(
          'src/modules/inbox/messages/service.ts',
          'tx.run(sql`update contacts set name = ${name}`)',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          'tx.run(sql`DELETE FROM ${contacts}`)',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          'of(ctx, contacts).update(tx, { id }, changes)',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          'const rows = of(ctx, contacts)',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "import { contacts } from '../contacts/table'",
          "const people = collection({ name: 'Contact', table: contacts })",
        ),
      ],
      [
        file(
          'src/modules/inbox/contacts/queries.ts',
          'export const people = collection({ table: contacts })',
        ),
        file(
          'src/modules/inbox/messages/service.ts',
          "import { people } from '../contacts/queries'",
          'people.deleteIn(tx, ctx, row)',
        ),
      ],
      [
        file(
          'src/modules/inbox/messages/service.ts',
          "export { contacts } from '../contacts/table'",
        ),
      ],
    ],
    accepts: [
      file(
        'src/modules/inbox/contacts/table.ts',
        "export const contacts = tableWithPeople('contacts', of, {})",
      ),
      file(
        'src/modules/inbox/contacts/service.ts',
        "import { contacts } from './table'",
        'tx.insert(contacts).run()',
        'seen.delete(id)',
      ),
      file(
        'src/modules/organization/organizations/settings/service.ts',
        "import { organizations } from '../table'",
        'tx.update(organizations).run()',
      ),
      file(
        'src/modules/inbox/messages/queries.ts',
        "import { contacts } from '../contacts/table'",
        'db.select().from(contacts).all()',
        'of(ctx, contacts).find({ id })',
      ),
      file(
        'src/infra/jobs/record-result.ts',
        "import { events } from '../outbox/table'",
        'tx.delete(events).run()',
      ),
    ],
  })

  rule(
    'transact is the only way to a transaction',
    refusing(
      /\.transaction\(|['"`]\s*(begin|savepoint)\b/gi,
      (path) => !OPENS_TRANSACTIONS.test(path),
    ),
    {
      refuses: [
        [file('src/modules/organization/users/service.ts', 'db.orm.transaction((tx) => {})')],
        [file('src/modules/organization/users/service.ts', "db.sqlite.run('begin immediate')")],
        [file('src/infra/db/compiled.ts', "sqlite.query('savepoint part').run()")],
      ],
      accepts: [
        file('src/infra/db/transact.ts', 'orm.transaction((tx) => {})'),
        file('src/infra/db/migrate.ts', 'sqlite.transaction(() => {})'),
        file(
          'src/modules/organization/users/service.ts',
          'transact(ctx.db, (tx) => {})',
          '// never .transaction(',
        ),
      ],
    },
  )
})

/** The folder that owns a table or a file: a module, all of `infra`, or nobody. */
const ownerOf = (path: string): string =>
  moduleOf(path) ?? (layerOf(path) === 'infra' ? 'infra' : path)

/** Writes in SQL text, in lower or upper case: a capitalised `Update users` is prose. */
const SQL_WRITES = [
  /\b(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|update|delete\s+from)\s+["'`]?(\$\{\s*)?(\w+)/g,
  /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+["'`]?(\$\{\s*)?(\w+)/g,
]

/** Writes by Drizzle, by a scoped table that is not read at once, and by a collection. */
const WRITES = [
  /\.\s*(?:insert|update|delete)\(\s*([\w$]+)/g,
  /\bof\(\s*\w+,\s*([\w$]+)\s*\)(?!\s*\.(?:find|list|page|count)\()/g,
  /\bcollection\(\{[^}]*?\btable:\s*([\w$]+)/g,
]

/**
 * Writes to tables of another owner: by Drizzle, by SQL text, or by passing a table on under
 * another roof.
 */
function foreignWrites(files: Source[]): string[] {
  const owners = new Map(
    files
      .filter(({ path }) => isTable(path))
      .flatMap((source) =>
        [...codeOf(source).matchAll(/tableWith(?:out)?People\(\s*'(\w+)'/g)].map(
          (match) => [match[1] ?? '', ownerOf(source.path)] as const,
        ),
      ),
  )
  const collections = new Set(
    files.flatMap((source) =>
      [...codeOf(source).matchAll(/export const (\w+) = collection\(/g)].map((match) => match[1]),
    ),
  )
  return files.flatMap((source) => {
    const all = ownImportsOf(source, files)
    const imports = all.filter(({ target }) => isTable(target))
    const foreign = new Set(
      imports
        .filter(({ target }) => ownerOf(target) !== ownerOf(source.path))
        .flatMap(({ names }) => names),
    )
    const code = codeOf(source)
    const drizzle = WRITES.flatMap((pattern) => [...code.matchAll(pattern)]).filter((match) =>
      foreign.has(match[1] ?? ''),
    )
    const sql = SQL_WRITES.flatMap((pattern) => [...code.matchAll(pattern)]).filter(
      ([, isTableValue, name = '']) =>
        isTableValue
          ? foreign.has(name)
          : (owners.get(name) ?? ownerOf(source.path)) !== ownerOf(source.path),
    )
    return [
      ...[...drizzle, ...sql].map(
        (match) =>
          `${source.path}:${lineAt(code, match.index)}: ${match[0].trim()} belongs to another module`,
      ),
      ...all
        .filter(
          ({ target, names }) =>
            ownerOf(target) !== ownerOf(source.path) && names.some((name) => collections.has(name)),
        )
        .map(({ target }) => `${source.path} may write the things of ${target}`),
      ...imports
        .filter(({ isReExport }) => isReExport)
        .map(({ target }) => `${source.path} passes ${target} on`),
    ]
  })
}
