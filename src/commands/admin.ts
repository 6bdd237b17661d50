import { isoTime } from '../lib/clock'
import { createSuperAdmin, issueResetLink } from '../modules/auth/cli'
import { beside } from './database'
import { requiredText, say, textOf, UsageError, type Command } from './command'

/**
 * Administrative actions that need shell access instead of a sign-in: create a super admin, create
 * a password reset link.
 */
export const admin: Command = {
  name: 'admin',
  forms: [
    [
      'admin create --email E-MAIL --name NAME [--organization NAME] [--password-stdin]',
      'make a super admin',
    ],
    [
      'admin reset-password --email E-MAIL',
      'end the sessions of an account and make a link for a new password',
    ],
  ],
  more: `A password is only read from standard input (--password-stdin), never from an argument. Without one, a link is printed by
which its holder chooses the password, once and within an hour.

--organization: where there is no organization yet, the name of the one that is made (ADMIN_ORGANIZATION unless given); else the
id, slug or name of an existing one, whose admin the new super admin becomes.`,
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
          ? 'admin needs a verb: create or reset-password'
          : `there is no command admin ${verb}`,
      )
    const email = requiredText(flags, 'email')
    if (verb === 'reset-password') {
      const surplus = ['name', 'organization', 'password-stdin'].find(
        (name) => flags[name] !== undefined,
      )
      if (surplus !== undefined) throw new UsageError(`admin reset-password takes no --${surplus}`)
      const link = await beside(invocation, ({ http }) => issueResetLink(http, email))
      return printLink({
        email: link.email,
        link,
        isJson,
        before: `All sessions of ${link.email} have ended.`,
      })
    }
    const name = requiredText(flags, 'name')
    const password = flags['password-stdin'] === true ? await passwordFromInput() : null
    const made = await beside(invocation, ({ http, auth }, settings) =>
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
      before: `The super admin ${made.email} was created.`,
      userId: made.userId,
    })
  },
}

/** Reads the typed or piped password without the line end. Throws UsageError if it is empty. */
async function passwordFromInput(): Promise<string> {
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (password === '')
    throw new UsageError('--password-stdin: there is no password on standard input')
  return password
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
    return say(
      JSON.stringify({
        ...(userId === undefined ? {} : { user_id: userId }),
        email,
        reset_url: link?.url ?? null,
        expires_at: link ? isoTime(link.expiresAtMs) : null,
      }),
    )
  say(
    link
      ? `${before}\nTo choose a password, once and until ${isoTime(link.expiresAtMs)}:\n\n  ${link.url}\n`
      : before,
  )
}
