/** Facts printed by the running demo. */
export interface DemoFacts {
  url: string
  simulatorUrl: string
  /** Password of all users. */
  password: string
  /** Email and role of each user. */
  logins: [email: string, what: string][]
  admin: string
  agent: string
  /** A contact that both users can see. */
  contactId: string
}

/** Lines that enclose the commands. Each command is one line below its description. */
export const COMMANDS_BEGIN = '--- Paste these into a second terminal, from top to bottom ---'
export const COMMANDS_END = '--- End of the commands ---'

/**
 * Returns the command that runs Bun in a terminal: via npx if that started the demo, otherwise by
 * name, otherwise by path.
 */
function bunCommand(): string {
  if (process.env['npm_execpath']?.endsWith('npm-cli.js') || process.execPath.includes('_npx'))
    return `npx -y bun@${Bun.version}`
  return Bun.which('bun') === null ? `'${process.execPath}'` : 'bun'
}

/**
 * Returns a command that signs in and stores the token in a shell variable. It only needs curl and
 * sed.
 */
const signIn = (facts: DemoFacts, variable: string, email: string): string =>
  `${variable}=$(curl -s ${facts.url}/api/auth/login -H 'content-type: application/json' -d '${JSON.stringify({ email, password: facts.password })}' | sed -E 's/.*"access_token":"([^"]+)".*/\\1/'); echo "$${variable}"`

function steps(facts: DemoFacts): [what: string, command: string][] {
  const { url, contactId } = facts
  const get = (path: string, variable = 'TOKEN'): string =>
    `curl -s -H "authorization: Bearer $${variable}" '${url}${path}'; echo`
  const text = JSON.stringify({ type: 'text', text: 'Hello from the command line.' })
  return [
    ['Sign in as an admin and keep the token', signIn(facts, 'TOKEN', facts.admin)],
    ['Who am I', get('/api/me')],
    ['Connected phone numbers', get('/api/accounts')],
    ['Contacts, newest message first', get('/api/contacts?limit=5')],
    ['What was said with one of them', get(`/api/contacts/${contactId}/messages?limit=5`)],
    [
      'Send a text and keep the id of the message',
      `MESSAGE=$(curl -s '${url}/api/contacts/${contactId}/messages' -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${text}' | sed -E 's/.*"data":\\{"id":"([^"]+)".*/\\1/'); echo "$MESSAGE"`,
    ],
    [
      'Where that message stands: pending, sent, delivered, read',
      `curl -s -H "authorization: Bearer $TOKEN" "${url}/api/messages/$MESSAGE"; echo`,
    ],
    ['Conversations', get('/api/conversations?limit=5')],
    ['What the platform delivered', get('/api/inbound/events?limit=5')],
    ['Background work', get('/api/jobs?limit=5')],
    ['Sign in as an agent', signIn(facts, 'AGENT', facts.agent)],
    ['The agent sees only its own contacts', get('/api/contacts', 'AGENT')],
    [
      'Watch messages flow (Ctrl-C ends it)',
      `${bunCommand()} -e "new WebSocket('${url.replace('http', 'ws')}/ws?token=$TOKEN').onmessage = (frame) => console.log(frame.data)"`,
    ],
  ]
}

/** Returns the text the demo prints once everything runs. */
export function demoText(facts: DemoFacts): string {
  const width = Math.max(...facts.logins.map(([email]) => email.length))
  return `
Switchboard demo: two organizations, a simulated platform, customers who talk by themselves.
Nothing leaves this machine, and everything is gone when the demo ends (Ctrl-C).

  API          ${facts.url}/api
  API docs     ${facts.url}/docs
  Socket       ${facts.url.replace('http', 'ws')}/ws?token=...
  Simulator    ${facts.simulatorUrl}  (what the server called: ${facts.simulatorUrl}/_simulator/calls)

Everybody signs in with the password ${facts.password}, which is for this demo only:

${facts.logins.map(([email, what]) => `  ${email.padEnd(width)}  ${what}`).join('\n')}

${COMMANDS_BEGIN}

${steps(facts)
  .map(([what, command]) => `# ${what}\n${command}\n`)
  .join('\n')}
${COMMANDS_END}
`
}
