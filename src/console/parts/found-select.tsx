import { useState, type ReactNode } from 'react'

import { can, type PermissionKey } from '../api/shapes'
import { useMe } from '../live/me'
import { useApi } from '../live/query'
import { nameOf } from './contact/name'
import { Select, type Choice } from './select'
import { titleOf } from './template/title'
import { useSearchText } from './use-search-text'

/** What the server finds by its name. */
export type Kind =
  | 'team'
  | 'tag'
  | 'account'
  | 'role'
  | 'colleague'
  | 'campaign'
  | 'contact'
  | 'rule'
  | 'botFlow'
  | 'template'

/** Who may read what; everybody reads the names of colleagues. */
const NEEDS: Record<Kind, PermissionKey | null> = {
  team: 'teams:read',
  tag: 'tags:read',
  account: 'accounts:read',
  role: 'roles:read',
  colleague: null,
  campaign: 'campaigns:read',
  contact: 'contacts:read',
  rule: 'chatbot:read',
  botFlow: 'flows:read',
  template: 'templates:read',
}
/** Returns whether the user may read entries of a kind. */
function useMayRead(kind: Kind): boolean {
  const needs = NEEDS[kind]
  const me = useMe()
  return needs === null || can(me, needs)
}

interface Entry {
  id: string
  name: string
}

/** What is listed at most; a search finds the others. */
const MOST_LISTED = 50
/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 150

/** Returns the entries of a kind with words in their names, and whether there are more of them. */
function useEntries<E extends Entry>(
  kind: Kind,
  words: string,
  isWanted = true,
): { entries: E[]; isCut: boolean; isLoaded: boolean } {
  const query = { limit: MOST_LISTED, ...(words === '' ? {} : { search: words }) }
  const mayRead = useMayRead(kind)
  const isOf = (one: Kind): boolean => isWanted && mayRead && kind === one
  const teams = useApi('GET /api/teams', { query }, isOf('team')).data
  const tags = useApi('GET /api/tags', { query }, isOf('tag')).data
  const accounts = useApi('GET /api/accounts', { query }, isOf('account')).data
  const roles = useApi('GET /api/roles', { query }, isOf('role')).data
  const people = useApi('GET /api/colleagues', { query }, isOf('colleague')).data
  const campaigns = useApi('GET /api/campaigns', { query }, isOf('campaign')).data
  const contacts = useApi('GET /api/contacts', { query }, isOf('contact')).data
  const rules = useApi('GET /api/chatbot/keywords', { query }, isOf('rule')).data
  const flows = useApi('GET /api/chatbot/flows', { query }, isOf('botFlow')).data
  const templates = useApi('GET /api/templates', { query }, isOf('template')).data
  const data = {
    ...{ team: teams, tag: tags, account: accounts, role: roles, campaign: campaigns },
    ...{ rule: rules, botFlow: flows },
    template: templates && {
      ...templates,
      items: templates.items.map((one) => ({ ...one, name: titleOf(one) })),
    },
    colleague: people && { ...people, items: people.items.map(named) },
    contact: contacts && {
      ...contacts,
      items: contacts.items.map((one) => ({ ...one, name: nameOf(one) })),
    },
  }[kind]
  const entries = (data?.items ?? []) as unknown as E[] // of the kind
  return { entries, isCut: data?.total !== entries.length, isLoaded: data !== undefined }
}

const named = <P extends { full_name: string }>(person: P): P & { name: string } => ({
  ...person,
  name: person.full_name,
})

/** Returns the name of one that is not listed. */
function useName(kind: Kind, id: string | null): string | null {
  const params = { id: id ?? '' }
  const mayRead = useMayRead(kind)
  const isOf = (one: Kind): boolean => mayRead && kind === one && id !== null
  const contact = useApi('GET /api/contacts/{id}', { params }, isOf('contact')).data
  const template = useApi('GET /api/templates/{id}', { params }, isOf('template')).data
  const names: Record<Kind, string | undefined> = {
    team: useApi('GET /api/teams/{id}', { params }, isOf('team')).data?.team.name,
    tag: useApi('GET /api/tags/{id}', { params }, isOf('tag')).data?.name,
    account: useApi('GET /api/accounts/{id}', { params }, isOf('account')).data?.name,
    role: useApi('GET /api/roles/{id}', { params }, isOf('role')).data?.name,
    campaign: useApi('GET /api/campaigns/{id}', { params }, isOf('campaign')).data?.name,
    template: template && titleOf(template),
    rule: useApi('GET /api/chatbot/keywords/{id}', { params }, isOf('rule')).data?.name,
    botFlow: useApi('GET /api/chatbot/flows/{id}', { params }, isOf('botFlow')).data?.name,
    colleague: useApi('GET /api/colleagues/{id}', { params }, isOf('colleague')).data?.full_name,
    contact: contact && nameOf(contact),
  }
  return names[kind] ?? null
}

/** The name of an entry; what is no ID is a name itself. A dash for those who may not read it. */
export function FoundName({ kind, id }: { kind: Kind; id: string }): ReactNode {
  const mayRead = useMayRead(kind)
  const name = useName(kind, idIn(id))
  return <bdi>{name ?? (idIn(id) === null ? id : mayRead ? '…' : '–')}</bdi>
}

/** Returns a value if it is an ID: addresses of views hold names and words, too. */
const idIn = (value: string | null): string | null =>
  value !== null && /^[0-9a-f-]{36}$/.test(value) ? value : null

/** Entries of a kind that a person searches while they choose. */
interface Found<E extends Entry> {
  entries: E[]
  /** Whether there is any, also one that the search does not find. */
  isAny: boolean
  isSearched: boolean
  /** Whether it is known what has these words in its name. */
  isAnswered: (typed: string) => boolean
  /** Asks the server; absent if everything is listed. */
  onSearch?: (words: string) => void
}

/** Lists the entries of a kind; the server finds those that are not listed. */
export function useFound<E extends Entry = Entry>(kind: Kind): Found<E> {
  const [words, setWords] = useState('')
  const [, type] = useSearchText('', PAUSE_MS, setWords)
  const all = useEntries<E>(kind, '')
  const found = useEntries<E>(kind, words, words !== '')
  return {
    entries: words === '' ? all.entries : found.entries,
    isAny: all.entries.length > 0,
    isAnswered: (typed) =>
      all.isLoaded && (!all.isCut || (found.isLoaded && words.trim() === typed)),
    isSearched: words !== '',
    ...(all.isLoaded && all.isCut ? { onSearch: type } : {}),
  }
}

interface Props<E extends Entry> {
  kind: Kind
  label: string
  value: string | null
  onChange: (id: string) => void
  /** Choices that are no entries, shown first. */
  first?: readonly Choice<string>[]
  /** Whether an entry can be chosen. */
  isChoice?: (entry: E) => boolean
  /** How an entry reads. */
  labelOf?: (entry: E) => string
  hint?: string
  isLabelHidden?: boolean
  /** Whether the field goes when there is nothing to choose. */
  isHiddenIfEmpty?: boolean
}

/**
 * A field to choose one of the teams, tags, numbers, roles or colleagues, however many there are, as
 * far as the user may read them.
 */
export function FoundSelect<E extends Entry = Entry>({
  kind,
  value,
  first = [],
  isChoice = () => true,
  labelOf = ({ name }) => name,
  isHiddenIfEmpty = false,
  ...field
}: Props<E>): ReactNode {
  const { entries, isAny, isSearched, onSearch } = useFound<E>(kind)
  const choices = [
    ...first,
    ...entries.filter(isChoice).map((entry) => ({ id: entry.id, label: labelOf(entry) })),
  ]
  const isListed = value === null || choices.some(({ id }) => id === value)
  const name = useName(kind, isListed || !isAny ? null : idIn(value))
  if (isHiddenIfEmpty && !isAny) return null
  return (
    <Select
      {...field}
      choices={
        isSearched || value === null || name === null
          ? choices
          : [...choices, { id: value, label: name }]
      }
      value={value}
      {...(name === null ? {} : { chosen: name })}
      {...(onSearch ? { onSearch } : {})}
    />
  )
}
