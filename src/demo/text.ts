import type { Business } from './business'
import { OWNER, PASSWORD } from './furnish'

/** Returns what the demo prints once the inbox lives. */
export function demoText({
  url,
  dir,
  businesses,
}: {
  url: string
  /** The folder that was named, if one was. */
  dir: string | undefined
  businesses: readonly Business[]
}): string {
  const names = businesses.map(({ name }) => name)
  const agents = businesses.flatMap(({ name, members }) =>
    members
      .filter(({ email }) => email.startsWith('agent@'))
      .map(({ email, fullName }): [string, string] => [email, `${fullName}, agent of ${name}`]),
  )
  const people: [string, string][] = [
    [OWNER.email, `${OWNER.fullName}, owner of ${names.join(' and ')}`],
    ...agents,
  ]
  const width = Math.max(...people.map(([email]) => email.length))
  return `
Switchboard with two small businesses is ready. Their customers write by themselves.

  Open      ${url}
  Password  ${PASSWORD}
  Be one of ${people.map(([email, who]) => `${email.padEnd(width)}  ${who}`).join('\n            ')}

Answer a customer, and the customer answers. Templates are approved after ten seconds.
WhatsApp is simulated: nothing leaves this machine.
Press Ctrl-C to stop; ${
    dir === undefined
      ? 'everything is deleted then. With --dir FOLDER it is kept.'
      : `everything is kept in ${dir}, and goes on there at the next start.`
  }
`
}
