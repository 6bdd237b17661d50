const HOUR_MS = 60 * 60 * 1000
const MAX_CREATED_PER_HOUR = 100

/** A template stored at the simulated platform. */
export type StoredTemplate = {
  id: string
  wabaId: string
  name: string
  language: string
  status: string
  category: string
  components: Record<string, unknown>[]
  parameterFormat: 'POSITIONAL' | 'NAMED'
  quality: string
  reason: string
  previousCategory?: string
  /** Highest price of 1,000 delivered messages. */
  maxPrice?: number
  /** When it was archived, epoch milliseconds, and the status it had. */
  archived?: { atMs: number; from: string }
  /** What the platform may change in its messages: OPT_IN or OPT_OUT by name. */
  creativeFeatures?: Record<string, string>
  editedAtMs: number[]
}

/** Options of a template that is stored directly, without submission. */
export type TemplateOptions = Partial<Omit<StoredTemplate, 'editedAtMs'>> & { name: string }

const sameLanguage = (a: string, b: string): boolean =>
  a.replaceAll('-', '_').toLowerCase() === b.replaceAll('-', '_').toLowerCase()

/** The templates of all business accounts. */
export class TemplateStore {
  readonly #stored = new Map<string, StoredTemplate>()
  readonly #created = new Map<string, number[]>()
  /** What the platform may change in marketing messages of a business account, by its ID. */
  readonly creativeFeatures = new Map<string, Record<string, string>>()
  /** Whether lists leave out archived templates. */
  hidesArchived = false
  #idCount = 0
  #addressCount = 0

  /** Stores a template as if it had been submitted long ago. */
  keep(parts: TemplateOptions, wabaId: string): StoredTemplate {
    this.#idCount += 1
    const template: StoredTemplate = {
      id: String(1_680_000_000_000_000 + this.#idCount),
      wabaId,
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello, we are here for you.' }],
      parameterFormat: 'POSITIONAL',
      quality: 'UNKNOWN',
      reason: 'NONE',
      ...parts,
      editedAtMs: [],
    }
    this.#stored.set(template.id, template)
    return template
  }

  /** Returns the template with this ID. */
  byId(id: string): StoredTemplate | undefined {
    return this.#stored.get(id)
  }

  /** Returns the templates of a business account, oldest first. */
  of(wabaId: string): StoredTemplate[] {
    return [...this.#stored.values()].filter((template) => template.wabaId === wabaId)
  }

  /** Finds the template that a message names. */
  find(wabaId: string, name: string, language: string): StoredTemplate | undefined {
    return this.of(wabaId).find(
      (template) => template.name === name && sameLanguage(template.language, language),
    )
  }

  /** Deletes a template. */
  drop(id: string): void {
    this.#stored.delete(id)
  }

  /** Reports whether another template may be created in this hour, and counts it. */
  mayCreate(wabaId: string, nowMs: number): boolean {
    const recent = (this.#created.get(wabaId) ?? []).filter((atMs) => nowMs - atMs < HOUR_MS)
    this.#created.set(wabaId, [...recent, nowMs])
    return recent.length < MAX_CREATED_PER_HOUR
  }

  /** Returns a new number each time: sample URLs change between responses. */
  nextAddress(): number {
    this.#addressCount += 1
    return this.#addressCount
  }
}
