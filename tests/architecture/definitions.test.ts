import { describe, expect, test } from 'bun:test'
import { MODULES } from '../../src/modules'
import { ownImportsOf, type Source } from '../support/sources'
import { file, isController, isEntry, moduleOf, refusing, rule, sources } from './support'

describe('where things are defined', () => {
  const places = [
    {
      what: 'tables in table files',
      pattern: /\btableWith(out)?People\(/g,
      home: /\/([\w-]+-)?table\.ts$/,
      call: 'tableWithPeople',
      at: 'table.ts',
    },
    {
      what: 'jobs in the jobs.ts of a module',
      pattern: /\bimport \{[^}]*\bjob\b[^}]*\} from '[./]*infra\/jobs\/job'/g,
      home: /^src\/modules\/[\w-]+\/[\w-]+\/jobs\.ts$/,
      call: "import { job } from '../../../infra/jobs/job'",
      at: 'jobs.ts',
    },
    {
      what: 'the work of jobs in the workers.ts of a module',
      pattern: /\bimport \{[^}]*\bwork(InTransaction)?\b[^}]*\} from '[./]*infra\/jobs\/work'/g,
      home: /^src\/modules\/[\w-]+\/[\w-]+\/workers\.ts$/,
      call: "import { work } from '../../../infra/jobs/work'",
      at: 'workers.ts',
    },
    {
      what: 'events in events files',
      pattern: /\bdefineEvent\(/g,
      home: /\/events\.ts$/,
      call: 'defineEvent',
      at: 'events.ts',
    },
  ]
  for (const { what, pattern, home, call, at } of places)
    rule(
      `${what} only`,
      refusing(pattern, (path) => !home.test(path)),
      {
        refuses: [[file('src/modules/organization/users/service.ts', `${call}('x')`)]],
        accepts: [file(`src/modules/organization/users/${at}`, `${call}('x')`)],
      },
    )

  rule(
    'no table is declared past the helper that asks what it holds of people',
    refusing(
      /\bsqliteTable\b|\b(?:blob|int|integer|numeric|real|text)\b(?=[^}]*\} from 'drizzle-orm\/sqlite-core')/g,
      (path) => !['src/infra/db/columns.ts', 'src/infra/db/define-table.ts'].includes(path),
    ),
    {
      refuses: [
        [file('src/modules/organization/users/table.ts', "sqliteTable('users', {})")],
        [
          file(
            'src/modules/organization/users/table.ts',
            "import { index, text } from 'drizzle-orm/sqlite-core'",
          ),
        ],
      ],
      accepts: [
        file(
          'src/modules/organization/users/table.ts',
          "import { index } from 'drizzle-orm/sqlite-core'",
          "import { text } from '../../../infra/db/columns'",
        ),
      ],
    },
  )

  rule('every controller, worker and subscriber is in the entry of its module', unlisted, {
    refuses: [
      [
        file('src/modules/organization/users/module.ts'),
        file('src/modules/organization/users/routes.ts'),
      ],
      [
        file('src/modules/organization/users/module.ts'),
        file('src/modules/organization/users/workers.ts'),
      ],
      [
        file('src/modules/organization/users/module.ts'),
        file(
          'src/modules/organization/roles/module.ts',
          "import { x } from '../users/subscribers'",
        ),
        file('src/modules/organization/users/subscribers.ts'),
      ],
    ],
    accepts: [
      file(
        'src/modules/organization/users/module.ts',
        "import { userRoutes } from './routes'",
        "import { userWorkers } from './workers'",
      ),
      file(
        'src/modules/organization/users/routes.ts',
        "import { loginRoutes } from './login/routes'",
      ),
      file('src/modules/organization/users/login/routes.ts'),
      file('src/modules/organization/users/workers.ts'),
    ],
  })

  test('every module of the list has its entry in the folder of its name', async () => {
    for (const module of MODULES) {
      const path = sources
        .map((one) => one.path)
        .find((one) => isEntry(one) && moduleOf(one) === module.name)
      const entry = (await import(`../../${path}`)) as object
      expect(Object.values(entry)).toEqual([module])
    }
  })
})

/** Controllers, workers and subscribers that neither their module's entry nor a controller imports. */
function unlisted(files: Source[]): string[] {
  const known = new Set(
    files
      .filter(({ path }) => isEntry(path) || isController(path))
      .flatMap((source) =>
        ownImportsOf(source, files)
          .map(({ target }) => target)
          .filter((target) => moduleOf(target) === moduleOf(source.path)),
      ),
  )
  return files
    .filter(
      ({ path }) =>
        /^src\/modules\/.*\/(routes|workers|subscribers)\.ts$/.test(path) && !known.has(path),
    )
    .map(({ path }) => `${path} is in no module.ts`)
}
