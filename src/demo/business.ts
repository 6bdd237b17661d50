import type { SystemRole } from '../modules/organization/roles/catalog'
import type { FileName } from './files'

/** The languages that customers write in. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'pt' | 'tr'

/** A user of the demo. */
export interface Member {
  email: string
  fullName: string
  role: SystemRole
}

/**
 * A conversation as text. Each line begins with who says it: `>` the customer, `<` the business. A
 * file stands in front of its caption in brackets.
 */
export type Script = string

/** What a customer orders from the catalog, by the number of each article. */
export type Order = readonly [article: string, quantity: number, euros: number][]

/** A conversation that is in the inbox when the demo starts. */
export interface Scene {
  name: string
  language: Language
  /** When the last line was said, minutes before the start. */
  minutesAgo: number
  /** Said before the first line. */
  order?: Order
  script: Script
  /** Position of the member who takes care of it; it waits in the queue without one. */
  agent?: number
  tags?: string[]
  note?: string
  priority?: 'high' | 'urgent'
}

/** A message template. */
export interface Template {
  name: string
  category: 'UTILITY' | 'MARKETING'
  text: string
  /** A value for each placeholder. */
  example: string[]
}

/** A campaign of the demo. */
export interface Campaign {
  name: string
  template: string
  /** What a few of its recipients answer, by language. */
  answers: Partial<Record<Language, string[]>>
}

/** A small business: its people, its customers and what they say. */
export interface Business {
  name: string
  /** Its number and its account at the platform. */
  phone: { id: string; wabaId: string; display: string; token: string }
  /** First digits of the German numbers of its customers; two more follow. */
  germanNumbers: string
  profile: { about: string; address: string; description: string; email: string; website: string }
  /** The color of its name. */
  accent: string
  /** Position of the first agent among its members. */
  members: Member[]
  /** The team that takes over from the bot, and another one. */
  teams: [string, string]
  tags: [name: string, color: 'blue' | 'red' | 'green' | 'yellow' | 'purple'][]
  hours: [from: string, to: string]
  cannedResponses: [name: string, shortcut: string, content: string][]
  /** Words that the bot answers at once. */
  rules: [name: string, keywords: string[], response: string][]
  /** The flow of the bot, which asks for a number and hands over. */
  flow: { name: string; keywords: string[]; question: string; thanks: string }
  /** A flow that is not published yet, from the gallery. */
  draft: { name: string; template: 'welcome_menu' | 'appointment' }
  /** Approved templates. */
  templates: Template[]
  /** A template that is submitted when the demo starts. */
  submitted: Template
  finished: Campaign
  running: Campaign
  /** Conversations of the past, by language. */
  past: Record<Language, Script[]>
  /** What is in the inbox at the start. */
  today: Scene[]
  /** The last word of a member to a customer. */
  farewells: Record<Language, string>
  /** How many conversations begin on a usual day. */
  conversationsPerDay: number
  /** What customers say by themselves while the demo runs, and what they answer. */
  remarks: Record<Language, string[]>
  replies: Record<Language, string[]>
}

/** A line of a script. */
export interface Line {
  isCustomer: boolean
  text: string
  file: FileName | null
}

/** Reads the lines of a script. */
export const linesOf = (script: Script): Line[] =>
  script
    .trim()
    .split('\n')
    .map((line) => {
      const [, who, file = '', text = ''] = /^\s*([<>]) (?:\[([\w.]+)\] ?)?(.*)$/.exec(line) ?? []
      return { isCustomer: who === '>', text, file: file === '' ? null : (file as FileName) }
    })
