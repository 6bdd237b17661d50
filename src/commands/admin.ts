import { isoTime } from '../lib/clock'
import { createSuperAdmin, issueResetLink } from '../modules/organization/auth/cli'
import { withProgram } from './database'
import { secretFromInput } from './input'
import { requiredText, print, textOf, UsageError, type Command } from './command'

/**
 * Administrative actions that need shell access instead of a sign-in: create a super admin, create
 * a password reset link.
 */
export const admin: Command = {
  name: 'admin',
  forms: [
    [
      'admin create --email EMAIL --name NAME [--organization NAME] [--password-stdin]',
      'create a super admin',
    ],
    [
      'admin reset-password --email EMAIL',
      'revoke all sessions of a user and print a password reset link',
    ],
  ],
  more:
    'A password is read only from standard input (--password-stdin), never from an ' +
    'argument.\nWithout one, the command prints a single-use link, valid for one hour, to ' +
    'set the password.\n\n--organization: if no organization exists yet, the name of the one ' +
    'to create (defaults to\nADMIN_ORGANIZATION). Otherwise the ID, slug or name of an ' +
    'existing organization, which the new\nsuper admin joins as an admin.',
  flags: {
    email: { type: 'string' },
    name: { type: 'string' },
    organization: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  },
  words: 1,
  async run(invocation) {
    const { words, flags, isJson } = invocation
    const [verb] = words
    if (verb !== 'create' && verb !== 'reset-password')
      throw new UsageError(
        verb === undefined
          ? 'admin needs a subcommand: create or reset-password.'
          : `Unknown command "admin ${verb}".`,
      )
    const email = requiredText(flags, 'email')
    if (verb === 'reset-password') {
      const surplus = ['name', 'organization', 'password-stdin'].find(
        (name) => flags[name] !== undefined,
      )
      if (surplus !== undefined)
        throw new UsageError(`"admin reset-password" has no option --${surplus}.`)
      const link = await withProgram(invocation, ({ http }) => issueResetLink(http, email))
      return printLink({
        email: link.email,
        link,
        isJson,
        before: `Revoked all sessions of ${link.email}.`,
      })
    }
    const name = requiredText(flags, 'name')
    const password =
      flags['password-stdin'] === true ? await secretFromInput('password-stdin') : null
    const made = await withProgram(invocation, ({ http, auth }, settings) =>
      createSuperAdmin(http, auth.hasher, {
        email,
        name,
        password,
        organization: textOf(flags, 'organization') ?? null,
        firstOrganization: settings.admin.organization,
      }),
    )
    printLink({
      email: made.email,
      link: made.link,
      isJson,
      before: `Created the super admin ${made.email}.`,
      userId: made.userId,
    })
  },
}

interface Outcome {
  email: string
  userId?: string
  link: { url: string; expiresAtMs: number } | null
  isJson: boolean
  before: string
}

function printLink({ email, userId, link, isJson, before }: Outcome): void {
  if (isJson)
    return print(
      JSON.stringify({
        ...(userId === undefined ? {} : { user_id: userId }),
        email,
        reset_url: link?.url ?? null,
        expires_at: link ? isoTime(link.expiresAtMs) : null,
      }),
    )
  print(
    link
      ? `${before}\nTo set a password, open this link once before ${isoTime(link.expiresAtMs)}:\n\n  ` +
          `${link.url}\n\n`
      : before,
  )
}
