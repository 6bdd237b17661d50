import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import type { Contact, FoundMessage, FoundNote } from '../../api/shapes'
import { itemsOf } from '../../live/pages-of'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { nameOf, numberBeside } from '../../parts/contact/name'
import { useListKeys } from '../../parts/list-keys'
import { Guarded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { SearchBox } from '../../parts/search-box'
import { Empty, Problem, Skeleton } from '../../parts/state'
import { report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { isFiltered, isSearched, type MessageFilter } from './filter'
import { Filters } from './filters'
import { useFoundContacts, useFoundMessages, useFoundNotes } from './hits'
import { Marked } from './marked'

/** Pause in typing after which is searched, milliseconds. */
const PAUSE_MS = 300

/** Letters from which the server searches. */
const MIN_LETTERS = 2

/** Finds messages and contacts. A message opens its conversation at its place. */
export function Search() {
  const { q = '', ...filter } = useSearch({ from: '/search' })
  const rows = useListKeys<HTMLDivElement>()
  return (
    <Page title={t('search.title')}>
      <div ref={rows} className="search-page">
        <Guarded needs="messages:read">
          <SearchField text={q} filter={filter} />
          <Filters />
          {q.length < MIN_LETTERS ? (
            <Empty icon="search" title={t('search.start')} hint={t('search.start-hint')} />
          ) : (
            <Found text={q} filter={filter} />
          )}
        </Guarded>
      </div>
    </Page>
  )
}

/** The field; what is typed becomes part of the address. */
function SearchField({ text: known, filter }: { text: string; filter: MessageFilter }) {
  const navigate = useNavigate()
  const [text, setText] = useSearchText(known, PAUSE_MS, (wanted) => {
    navigate({
      to: '/search',
      search: wanted === '' ? filter : { ...filter, q: wanted },
      replace: true,
    }).catch(report)
  })
  return <SearchBox label={t('search.field')} value={text} onChange={setText} autoFocus />
}

/** What was found: contacts first, they are fewer. */
function Found({ text, filter }: { text: string; filter: MessageFilter }) {
  const contacts = useFoundContacts(text, filter)
  const notes = useFoundNotes(text, filter)
  const messages = useFoundMessages(text, filter)
  const found = isSearched(filter, 'messages') ? itemsOf<FoundMessage>(messages.data) : []
  const people = isSearched(filter, 'contacts') ? (contacts.data?.items ?? []) : []
  const written = isSearched(filter, 'notes') ? itemsOf<FoundNote>(notes.data) : []
  const all = [messages, contacts, notes]
  const failed = all.find(({ isError }) => isError)
  if (failed)
    return (
      <Problem
        error={failed.error}
        onRetry={() => {
          failed.refetch().catch(report)
        }}
      />
    )
  if (all.some(({ isPending, fetchStatus }) => isPending && fetchStatus !== 'idle'))
    return <Skeleton rows={5} />
  if (found.length + people.length + written.length === 0)
    return (
      <Empty
        icon="search"
        title={t('search.none')}
        hint={t(
          isFiltered(filter) || filter.kind !== undefined
            ? 'search.none-filtered'
            : 'search.none-hint',
        )}
      />
    )
  return (
    <>
      {people.length > 0 && (
        <Section title={t('search.contacts')}>
          <ul className="hits">
            {people.map((one) => (
              <ContactHit key={one.id} contact={one} />
            ))}
          </ul>
        </Section>
      )}
      {written.length > 0 && (
        <Section title={t('search.notes')}>
          <ul className="hits">
            {written.map((one) => (
              <NoteHit key={one.note.id} found={one} />
            ))}
          </ul>
          <More result={notes} />
        </Section>
      )}
      {found.length > 0 && (
        <Section title={t('search.messages')}>
          <ul className="hits">
            {found.map((one) => (
              <MessageHit key={one.message.id} found={one} />
            ))}
          </ul>
          <More result={messages} />
        </Section>
      )}
    </>
  )
}

/** Loads the next hits, if there are more. */
function More({
  result: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  result: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}) {
  if (!hasNextPage) return null
  return (
    <footer className="actions">
      <Button
        isDisabled={isFetchingNextPage}
        onPress={() => {
          fetchNextPage().catch(report)
        }}
      >
        {t('search.more')}
      </Button>
    </footer>
  )
}

function ContactHit({ contact }: { contact: Contact }) {
  return (
    <li>
      <Link to="/contacts/$contactId" params={{ contactId: contact.id }} data-row className="hit">
        <Avatar name={contact.display_name} />
        <span className="grow">
          <b>
            <bdi>{nameOf(contact)}</bdi>
          </b>
          <span className="muted small block">
            <bdi dir="ltr">{numberBeside(contact)}</bdi>
          </span>
        </span>
      </Link>
    </li>
  )
}

function MessageHit({ found }: { found: FoundMessage }) {
  const { id, conversation_id: conversationId, timestamp } = found.message
  return (
    <li>
      <Link
        to="/inbox/$conversationId"
        params={{ conversationId }}
        search={{ message: id }}
        data-row
        className="hit"
      >
        <FoundText found={found} at={timestamp} />
      </Link>
    </li>
  )
}

function NoteHit({ found }: { found: FoundNote }) {
  return (
    <li>
      <Link
        to="/contacts/$contactId"
        params={{ contactId: found.contact.id }}
        data-row
        className="hit"
      >
        <FoundText found={found} at={found.note.created_at} author={found.note.created_by_name} />
      </Link>
    </li>
  )
}

interface FoundTextProps {
  found: FoundMessage | FoundNote
  at: string
  author?: string | null
}

/** Whose text was found, when it was written, and the words around what was searched. */
const FoundText = ({ found: { contact, snippet, ranges }, at, author }: FoundTextProps) => (
  <>
    <Avatar name={contact.display_name} />
    <span className="grow">
      <span className="hit-top">
        <b className="grow">
          <bdi>{nameOf(contact)}</bdi>
        </b>
        <time className="muted small" dateTime={at}>
          {formatShort(at)}
        </time>
      </span>
      <span className="block">
        <Marked text={snippet} ranges={ranges} />
      </span>
      {author != null && (
        <span className="muted small block">
          <bdi>{author}</bdi>
        </span>
      )}
    </span>
  </>
)
