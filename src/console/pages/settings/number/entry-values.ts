import type { EntryPoints } from '../../../api/shapes'

/** What the API takes at most. */
export const MOST = {
  link: 140,
  question: 80,
  questions: 4,
  command: 32,
  explanation: 256,
  commands: 30,
} as const

/** A link that opens a chat. */
export type ChatLink = EntryPoints['links'][number]

/** What the form holds: everything but the links, which are changed one by one. */
export interface Values extends Pick<EntryPoints, 'ice_breakers' | 'commands' | 'welcome'> {
  username: string
  cart: boolean
  catalog: boolean
}

/** Returns the entry points as the form shows them. */
export const valuesOf = (points: EntryPoints): Values => ({
  ice_breakers: points.ice_breakers,
  commands: points.commands,
  welcome: points.welcome,
  username: points.username?.name ?? '',
  cart: points.commerce?.cart_enabled ?? false,
  catalog: points.commerce?.catalog_visible ?? false,
})

/** Returns the changes as the API takes them. Both switches of the shop are sent together. */
export function changesOf(changes: Partial<Values>, value: Values) {
  const { username, cart, catalog, ...others } = changes
  return {
    ...others,
    ...(username === undefined ? {} : { username: username === '' ? null : username }),
    ...(cart === undefined && catalog === undefined
      ? {}
      : { commerce: { cart_enabled: value.cart, catalog_visible: value.catalog } }),
  }
}

/** How one link changes: it is added, gets another message, or is removed. */
export type LinkChange =
  | { kind: 'add'; message: string }
  | { kind: 'change'; id: string; message: string }
  | { kind: 'remove'; id: string }

/** Returns all links after a change of one, as the API takes them. */
export function linksAfter(
  links: readonly Pick<ChatLink, 'id' | 'message'>[],
  change: LinkChange,
): { id?: string; message: string }[] {
  const kept = links.map(({ id, message }) => ({ id, message }))
  if (change.kind === 'add') return [...kept, { message: change.message }]
  return change.kind === 'remove'
    ? kept.filter(({ id }) => id !== change.id)
    : kept.map((link) => (link.id === change.id ? { ...link, message: change.message } : link))
}
