/** Facts printed by the running demo. */
export interface DemoFacts {
  url: string
  simulatorUrl: string
  /** An endpoint that shows the webhook events it received. */
  receiverUrl: string
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
  const question = JSON.stringify({ messages: ['Are you open?', 'My order', '10042'] })
  return [
    ['Sign in as an admin and save the token', signIn(facts, 'TOKEN', facts.admin)],
    ['Get the current user', get('/api/me')],
    ['List connected phone numbers', get('/api/accounts')],
    ['List contacts, most recent message first', get('/api/contacts?limit=5')],
    ['List the messages of one of them', get(`/api/contacts/${contactId}/messages?limit=5`)],
    [
      'Send a text message and save its ID',
      `MESSAGE=$(curl -s '${url}/api/contacts/${contactId}/messages' -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${text}' | sed -E 's/.*"data":\\{"id":"([^"]+)".*/\\1/'); echo "$MESSAGE"`,
    ],
    [
      'Get the status of that message: pending, sent, delivered or read',
      `curl -s -H "authorization: Bearer $TOKEN" "${url}/api/messages/$MESSAGE"; echo`,
    ],
    ['List conversations', get('/api/conversations?limit=5')],
    ['List webhook deliveries', get('/api/inbound/events?limit=5')],
    ['List the endpoints that events are sent to', get('/api/webhooks')],
    ['See what such an endpoint received', `curl -s ${facts.receiverUrl}/received; echo`],
    ['List background jobs', get('/api/jobs?limit=5')],
    [
      'Ask what the bot would answer; nothing is sent',
      `curl -s '${url}/api/chatbot/preview' -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${question}'; echo`,
    ],
    ['List the customers whom the bot handed over to people', get('/api/chatbot/transfers')],
    ['Sign in as an agent', signIn(facts, 'AGENT', facts.agent)],
    [
      'List contacts as the agent, who sees those of their team and of the queue, not those of a colleague',
      get('/api/contacts', 'AGENT'),
    ],
    ['List the teams of the agent', get('/api/teams', 'AGENT')],
    [
      'Watch events as they happen (press Ctrl-C to stop)',
      `${bunCommand()} -e "const { data } = await (await fetch('${url}/api/auth/ws-ticket', { method: 'POST', headers: { authorization: 'Bearer $TOKEN' } })).json(); new WebSocket('${url.replace('http', 'ws')}/ws?ticket=' + data.ticket).onmessage = (frame) => console.log(frame.data)"`,
    ],
  ]
}

/** Returns the text the demo prints once everything runs. */
export function demoText(facts: DemoFacts): string {
  const width = Math.max(...facts.logins.map(([email]) => email.length))
  return `
Switchboard demo: two organizations, a simulated platform, and customers who write on their own.
Listens on this machine only. Press Ctrl-C to stop; all data is deleted on exit.

  Open         ${facts.url}  and sign in as ${facts.admin} with the password ${facts.password}

  API          ${facts.url}/api
  API docs     ${facts.url}/docs
  WebSocket    ${facts.url.replace('http', 'ws')}/ws?ticket=...
  Simulator    ${facts.simulatorUrl}  (calls from the server: ${facts.simulatorUrl}/_simulator/calls)
  Receiver     ${facts.receiverUrl}  (shows the events that an endpoint receives)

All users have the password ${facts.password}:

${facts.logins.map(([email, what]) => `  ${email.padEnd(width)}  ${what}`).join('\n')}

${COMMANDS_BEGIN}

${steps(facts)
  .map(([what, command]) => `# ${what}\n${command}\n`)
  .join('\n')}
${COMMANDS_END}
`
}
