import { flagOf, isObject, listOf, objectOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import {
  ofNumber,
  query,
  requireSuccess,
  unexpectedResponse,
  type CallGraph,
  type NumberAccess,
} from './graph-request'

/** A short link that opens a chat with a prefilled message. */
export interface MessageLink {
  code: string
  message: string
  url: string | null
  /** Address of the QR code as PNG. It is valid for a short time. */
  imageUrl: string | null
}

/** What customers see in a chat before they write: questions, commands and a welcome event. */
export interface ConversationStarters {
  isWelcomeEnabled: boolean
  prompts: string[]
  commands: { name: string; description: string }[]
}

/** What customers see of the catalog in a chat. */
export interface CommerceSettings {
  hasCart: boolean
  showsCatalog: boolean
}

/** The username of a number. */
export interface BusinessUsername {
  name: string
  /** `approved`: customers see it; `reserved`: it is kept until usernames exist in their region. */
  status: string | null
}

/** Calls about the ways into a chat. */
export interface EntryPointCalls {
  /** Returns the short links of a number. */
  listLinks(call: NumberAccess): Promise<MessageLink[]>
  /** Creates a short link with a QR code. */
  createLink(call: NumberAccess & { message: string }): Promise<MessageLink>
  /** Changes the message of a short link. Its address and QR code stay. */
  updateLink(call: NumberAccess & { code: string; message: string }): Promise<void>
  /** Deletes a short link. Its address and QR code stop working. */
  deleteLink(call: NumberAccess & { code: string }): Promise<void>
  getConversationStarters(call: NumberAccess): Promise<ConversationStarters>
  /** Replaces all conversation starters. */
  setConversationStarters(call: NumberAccess & { starters: ConversationStarters }): Promise<void>
  /** Returns the commerce settings of a number, or `null` if the platform reports none. */
  getCommerce(call: NumberAccess): Promise<CommerceSettings | null>
  setCommerce(call: NumberAccess & { commerce: CommerceSettings }): Promise<void>
  /** Returns the username of a number, or `null` if it has none. */
  getUsername(call: NumberAccess): Promise<BusinessUsername | null>
  /** Requests a username, or removes it with `null`. */
  setUsername(call: NumberAccess & { username: string | null }): Promise<void>
}

const FIELDS = 'code,prefilled_message,deep_link_url,qr_image_url.format(PNG)'
const PER_PAGE = '100'
const COMMERCE = '/whatsapp_commerce_settings'

/** A number has at most 2,000 links. The limit stops a broken cursor from looping. */
const MAX_PAGES = 40

/** Builds the calls about the ways into a chat. */
export function entryPointCalls(callGraph: CallGraph): EntryPointCalls {
  return {
    async listLinks(call) {
      const links: MessageLink[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `/message_qrdls${query({ fields: FIELDS, limit: PER_PAGE, ...(after === null ? {} : { after }) })}`
        const response = await callGraph({ ...ofNumber(call), path })
        links.push(
          ...listOf(response.data)
            .filter(isObject)
            .map(readLink)
            .filter((link) => link !== null),
        )
        const paging = objectOf(response.paging)
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) return links
      }
      throw unexpectedResponse('endless_list')
    },
    async createLink({ message, ...call }) {
      const payload = { prefilled_message: message, generate_qr_image: 'PNG' }
      const link = readLink(await callGraph({ ...ofNumber(call), path: '/message_qrdls', payload }))
      if (link === null) throw unexpectedResponse('no_code')
      return link
    },
    async updateLink({ code, message, ...call }) {
      const payload = { code, prefilled_message: message }
      await callGraph({ ...ofNumber(call), path: '/message_qrdls', payload })
    },
    async deleteLink({ code, ...call }) {
      const path = `/message_qrdls/${encodeURIComponent(code)}`
      requireSuccess(await callGraph({ ...ofNumber(call), path, method: 'DELETE' }))
    },
    async getConversationStarters(call) {
      const path = query({ fields: 'conversational_automation' })
      const response = await callGraph({ ...ofNumber(call), path })
      return readStarters(objectOf(response.conversational_automation))
    },
    async setConversationStarters({ starters, ...call }) {
      const payload = {
        enable_welcome_message: starters.isWelcomeEnabled,
        prompts: starters.prompts,
        commands: starters.commands.map(({ name, description }) => ({
          command_name: name,
          command_description: description,
        })),
      }
      requireSuccess(
        await callGraph({ ...ofNumber(call), path: '/conversational_automation', payload }),
      )
    },
    ...presenceCalls(callGraph),
  }
}

/** Calls about the catalog and the username of a number. */
function presenceCalls(
  callGraph: CallGraph,
): Pick<EntryPointCalls, 'getCommerce' | 'setCommerce' | 'getUsername' | 'setUsername'> {
  return {
    async getCommerce(call) {
      const response = await callGraph({ ...ofNumber(call), path: COMMERCE })
      const [settings] = listOf(response.data).filter(isObject)
      return settings === undefined
        ? null
        : {
            hasCart: flagOf(settings.is_cart_enabled),
            showsCatalog: flagOf(settings.is_catalog_visible),
          }
    },
    async setCommerce({ commerce, ...call }) {
      const payload = {
        is_cart_enabled: commerce.hasCart,
        is_catalog_visible: commerce.showsCatalog,
      }
      requireSuccess(await callGraph({ ...ofNumber(call), path: COMMERCE, payload }))
    },
    async getUsername(call) {
      const response = await callGraph({ ...ofNumber(call), path: '/username' })
      const name = wordOf(response.username)
      return name === null ? null : { name, status: wordOf(response.status) }
    },
    async setUsername({ username, ...call }) {
      const at = { ...ofNumber(call), path: '/username' }
      if (username === null) requireSuccess(await callGraph({ ...at, method: 'DELETE' }))
      else await callGraph({ ...at, payload: { username } })
    },
  }
}

function readLink(link: JsonObject): MessageLink | null {
  const code = wordOf(link.code)
  return code === null
    ? null
    : {
        code,
        message: wordOf(link.prefilled_message) ?? '',
        url: wordOf(link.deep_link_url),
        imageUrl: wordOf(link.qr_image_url),
      }
}

const readStarters = (facts: JsonObject): ConversationStarters => ({
  isWelcomeEnabled: flagOf(facts.enable_welcome_message),
  prompts: listOf(facts.prompts)
    .map(wordOf)
    .filter((prompt) => prompt !== null),
  commands: listOf(facts.commands)
    .map(objectOf)
    .flatMap(({ command_name, command_description }) => {
      const name = wordOf(command_name)
      return name === null ? [] : [{ name, description: wordOf(command_description) ?? '' }]
    }),
})
