import { ADMINS, Installation, signIn } from '../chaos/installation'
import { Client } from '../support/client'
import { COUNTS, fillInbox, OWN_CONTACTS } from './inbox-rows'
import {
  measureInPeace,
  namedIn,
  plansReport,
  requireQuick,
  tableOf,
  type Asked,
  type Row,
} from './list-report'
import { machineOf, save } from './report'

const OF_INBOX =
  /from "(messages|contacts|conversations|message_words|contact_words|contact_terms)"/
const number = (rows: number): string => rows.toLocaleString('en-US')
const SIZE = `${number(COUNTS.messages)} messages with ${number(COUNTS.contacts)} contacts in one organization; an agent who sees ${COUNTS.mine} of them; one request at a time.`

/**
 * Measures the inbox over HTTP at a million messages, and shows how SQLite finds the rows.
 * `isSaved` writes both to `results`. `words` names the lists to measure, all by
 * default. Throws when a list is too slow.
 */
export async function benchInbox(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const installation = new Installation({})
  try {
    const agent = await prepare(installation)
    fillInbox(installation.databasePath)
    await using server = await installation.start()
    const admin = await signIn(server.url, ADMINS[0])
    const ofAgent = await signIn(server.url, agent)
    server.ignoreOutput()
    const rows: Row[] = []
    for (const asked of namedIn(options.words, ASKED)) rows.push(await measureInPeace(admin, asked))
    for (const asked of namedIn(options.words, ASKED_BY_AGENT))
      rows.push(await measureInPeace(ofAgent, asked))
    await server.stop()
    const plans = await plansReport(installation, OF_INBOX, rows)
    const report = [machineOf(installation.folder), '', SIZE, '', tableOf(rows), '', plans].join(
      '\n',
    )
    console.log(`\n${report}\n`)
    if (options.isSaved) save('inbox', report)
    requireQuick(rows)
  } finally {
    installation.remove()
  }
}

/** Makes an agent who sees only own contacts and signs in with a password; returns the e-mail. */
async function prepare(installation: Installation): Promise<string> {
  await using server = await installation.start()
  const admin = await signIn(server.url, ADMINS[0])
  const client = new Client(server.url, admin.headers)
  const { data: role } = await client.post('/api/roles', {
    name: OWN_CONTACTS,
    permissions: ['contacts:read', 'messages:read', 'messages:create', 'transfers:read'],
  })
  const email = 'agent@example.com'
  await client.post('/api/users', {
    email,
    full_name: 'Agent',
    password: 'correct horse battery',
    role_id: role['id'],
  })
  return email
}

const CONTACT = '01900000-0000-7000-8101-000000000007'
const CONVERSATION = '01900000-0000-7000-8102-000000000007'
const MESSAGE = '01900000-0000-7000-8103-0000000f4240'

const conversations = (what: string, query = ''): Asked => ({
  list: 'conversations',
  what,
  path: `/api/conversations?limit=50${query}`,
  isSearch: query.includes('search='),
})
const contacts = (what: string, query = ''): Asked => ({
  list: 'contacts',
  what,
  path: `/api/contacts?limit=50${query}`,
  isSearch: query.includes('search='),
})
const search = (what: string, query: string): Asked => ({
  list: 'search',
  what,
  path: `/api/messages/search?q=${query}`,
  isSearch: true,
})

const ASKED: Asked[] = [
  conversations('first page'),
  conversations('open', '&state=open'),
  conversations('open or pending', '&state=open,pending'),
  conversations('unassigned', '&assigned_to=none'),
  conversations('unread', '&unread=true'),
  conversations('window closing', '&window=closing'),
  conversations('longest waiting', '&sort=oldest_unanswered'),
  conversations('search by name', '&search=person+777'),
  conversations('search by name, open or pending', '&search=person+777&state=open,pending'),
  { list: 'conversations', what: 'counts', path: '/api/conversations/counts' },
  { list: 'conversations', what: 'one', path: `/api/conversations/${CONVERSATION}` },
  { list: 'messages', what: 'of a contact', path: `/api/contacts/${CONTACT}/messages?limit=50` },
  {
    list: 'messages',
    what: 'of a conversation',
    path: `/api/conversations/${CONVERSATION}/messages?limit=50`,
  },
  { list: 'messages', what: 'one', path: `/api/messages/${MESSAGE}` },
  contacts('first page'),
  contacts('by name', '&sort=name'),
  contacts('search by name', '&search=person+777'),
  contacts('search by name, all of them', '&search=person'),
  contacts('search by last digits', '&search=0777'),
  search('rare word', 'rare777'),
  search('common word', 'lamp'),
  search('two common words', 'lamp+blue'),
  search('as typed, two letters', 'la'),
  search('as typed, many words', 'rare1'),
  search('as typed, four letters of a common word', 'deli'),
  search('as typed, one letter after a word', 'lamp+b'),
  search('rare and common words', 'lamp+rare777'),
  search('nothing found', 'lamp+blue+zebra'),
  search('of one contact', `lamp&contact_id=${CONTACT}`),
]

const ASKED_BY_AGENT: Asked[] = [
  { ...conversations('first page'), list: 'conversations of an agent' },
  { ...contacts('first page'), list: 'contacts of an agent' },
  { ...contacts('search', '&search=person'), list: 'contacts of an agent' },
  { ...search('common word', 'lamp'), list: 'search' },
]
