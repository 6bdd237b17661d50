import { listAllOrganizations, listAllUsers } from '../modules/organization/users/cli'
import { withDatabase } from './database'
import { exportToFile } from './export-organization'
import { importOrganization } from './import-organization'
import { moveOrganization } from './move-organization'
import { print, table, toMinute, UsageError, type Command, type Invocation } from './command'

/** Accepts `list` as the only subcommand. Throws UsageError otherwise. */
function requireList(name: string, [verb = 'list']: string[]): void {
  if (verb !== 'list') throw new UsageError(`Unknown command "${name} ${verb}".`)
}

/** Flags of the subcommands of `organization`. */
const FLAGS_OF: Record<string, readonly string[]> = {
  export: ['out', 'no-media', 'passphrase-stdin'],
  import: ['yes', 'passphrase-stdin'],
  move: ['to', 'abort', 'take-over', 'erase-copy', 'force'],
}

/** Throws UsageError for a flag of another subcommand. */
function refuseOtherFlags({ words: [verb = 'list'], flags }: Invocation): void {
  const surplus = Object.values(FLAGS_OF)
    .flat()
    .find((name) => flags[name] !== undefined && FLAGS_OF[verb]?.includes(name) !== true)
  if (surplus !== undefined)
    throw new UsageError(`"organization ${verb}" has no option --${surplus}.`)
}

/** Lists every user of the installation. */
export const users: Command = {
  name: 'user',
  forms: [['user list', 'list users']],
  flags: {},
  words: 1,
  async run(invocation) {
    const { words, isJson } = invocation
    requireList('user', words)
    const rows = await withDatabase(invocation, ({ db }) => listAllUsers({ db }))
    if (isJson) return print(JSON.stringify(rows))
    print(
      table(
        ['id', 'email', 'name', 'member of', 'last sign-in', 'state'],
        rows.map((row) => [
          row.id,
          row.email,
          row.full_name,
          String(row.organizations),
          toMinute(row.last_login_at),
          [
            ...(row.is_super_admin ? ['super admin'] : []),
            ...(row.is_disabled ? ['disabled'] : []),
          ].join(', '),
        ]),
      ),
    )
  },
}

/** Organizations of the installation: list, export to an archive, import from one, move away. */
export const organizations: Command = {
  name: 'organization',
  forms: [
    ['organization list', 'list organizations'],
    [
      'organization export ID --out FILE [--no-media] [--passphrase-stdin]',
      'write an archive of an organization; the server may keep running',
    ],
    [
      'organization import FILE [--yes] [--passphrase-stdin]',
      'check an archive of an organization, and import it with --yes',
    ],
    ['organization move ID --to CELL', 'move an organization to another cell'],
    [
      'organization move ID --abort [--force]',
      'abort the move of an organization; --force states that the other cell is lost for good',
    ],
    [
      'organization move ID --take-over --force',
      'work here, and state that the cell it comes from is lost for good',
    ],
    [
      'organization move ID --erase-copy [--force]',
      'erase the copy of an organization that has moved; --force does not ask the other cell',
    ],
  ],
  more:
    'export: secrets are in the archive only with a passphrase.\nimport: without --yes, the archive ' +
    'is only checked. The server may keep running; it does the work then.\nThe passphrase of an ' +
    'archive is read from standard input (--passphrase-stdin) or the variable ' +
    'ARCHIVE_PASSPHRASE,\nnever from an argument.\nmove: the running server does the work, and ' +
    'the command shows it. CELL is an address in CELLS.',
  flags: {
    out: { type: 'string' },
    'no-media': { type: 'boolean' },
    yes: { type: 'boolean' },
    to: { type: 'string' },
    abort: { type: 'boolean' },
    'take-over': { type: 'boolean' },
    'erase-copy': { type: 'boolean' },
    force: { type: 'boolean' },
    'passphrase-stdin': { type: 'boolean' },
  },
  words: 2,
  async run(invocation) {
    const { words, isJson } = invocation
    const [verb, file] = words
    refuseOtherFlags(invocation)
    if (verb === 'export') return exportToFile(invocation, file ?? '')
    if (verb === 'move') return moveOrganization(invocation, file ?? '')
    if (verb === 'import') {
      if (file === undefined)
        throw new UsageError('organization import needs the path of an archive.')
      return importOrganization(invocation, file)
    }
    if (file !== undefined)
      throw new UsageError(`Too many arguments for "organization list": ${file}.`)
    requireList('organization', words)
    const rows = await withDatabase(invocation, ({ db }) => listAllOrganizations({ db }))
    if (isJson) return print(JSON.stringify(rows))
    print(
      table(
        ['id', 'slug', 'name', 'state', 'members', 'created'],
        rows.map((row) => [
          row.id,
          row.slug,
          row.name,
          row.state,
          String(row.members),
          toMinute(row.created_at),
        ]),
      ),
    )
  },
}
