import { isOpen, type CompiledHours } from '../../../lib/business-hours'
import { PhraseIndex } from '../../../lib/phrase-index'
import { SafeRegex } from '../../../lib/safe-regex'
import { finish, type Sliced } from '../../../lib/sliced'
import { isUnspaced, normalText, standsAlone } from '../../../lib/whole-words'

/** Something that begins with certain words: a keyword rule, or the trigger of a bot flow. */
export interface Trigger {
  keywords: readonly string[]
  matchType: 'exact' | 'contains' | 'starts_with' | 'regex'
  isCaseSensitive: boolean
  isWholeWord: boolean
  priority: number
  accountId: string | null
  createdAtMs: number
  /** Breaks ties between triggers of the same time. */
  id: string
  activeFromMs: number | null
  activeUntilMs: number | null
  /** `null` for always. */
  activeHours: CompiledHours | null
}

/** A message to match. */
export interface MatchedText {
  text: string
  accountId: string | null
  atMs: number
  timezone: string
}

/** A trigger that matches, and the keyword that did: the longest one. */
export interface TriggerMatch<T extends Trigger> {
  trigger: T
  keyword: string
  /** Named groups of a regular expression. */
  groups: Record<string, string>
}

/** A keyword of a trigger. */
interface Entry<T extends Trigger> {
  trigger: T
  keyword: string
}

/** Longer texts are cut before they are matched. */
const MAX_TEXT = 16_384

/** How keywords other than regular expressions are compared. */
type PhraseType = Exclude<Trigger['matchType'], 'regex'>

/** The entries of each phrase. */
type Phrases<T extends Trigger> = Map<string, Entry<T>[]>

/** Keywords that are compared in one form: with case, or without. */
class KeywordGroup<T extends Trigger> {
  private constructor(
    private readonly form: { isCaseSensitive: boolean },
    private readonly entries: Readonly<Record<PhraseType, Phrases<T>>>,
    private readonly first: PhraseIndex,
    private readonly anywhere: PhraseIndex,
  ) {}

  static *building<T extends Trigger>(
    triggers: readonly T[],
    form: { isCaseSensitive: boolean },
  ): Sliced<KeywordGroup<T>> {
    const entries: Record<PhraseType, Phrases<T>> = {
      exact: new Map(),
      starts_with: new Map(),
      contains: new Map(),
    }
    for (const trigger of triggers) {
      const { matchType } = trigger
      if (matchType === 'regex' || trigger.isCaseSensitive !== form.isCaseSensitive) continue
      for (const keyword of trigger.keywords) {
        const normal = normalText(keyword, form)
        const phrase = matchType === 'exact' ? withoutPunctuation(normal) : normal
        const known = entries[matchType].get(phrase)
        if (known) known.push({ trigger, keyword })
        else entries[matchType].set(phrase, [{ trigger, keyword }])
      }
      yield
    }
    const first = yield* PhraseIndex.building(entries.starts_with.keys())
    const anywhere = yield* PhraseIndex.building(entries.contains.keys())
    return new KeywordGroup(form, entries, first, anywhere)
  }

  /** Calls back with each keyword that a text contains. */
  each(written: string, found: (entry: Entry<T>) => void): void {
    const { exact, starts_with: beginnings, contains } = this.entries
    if (exact.size + beginnings.size + contains.size === 0) return
    const text = normalText(written, this.form)
    for (const entry of exact.get(withoutPunctuation(text)) ?? []) found(entry)
    this.first.eachAt(text, 0, (phrase) =>
      this.report('starts_with', { text, at: 0, phrase }, found),
    )
    if (this.anywhere.isEmpty) return
    for (let at = 0; at < text.length; at += 1)
      this.anywhere.eachAt(text, at, (phrase) =>
        this.report('contains', { text, at, phrase }, found),
      )
  }

  private report(
    type: PhraseType,
    { text, at, phrase }: { text: string; at: number; phrase: string },
    found: (entry: Entry<T>) => void,
  ): void {
    const isWhole = isUnspaced(phrase) || standsAlone(text, at, at + phrase.length)
    for (const entry of this.entries[type].get(phrase) ?? [])
      if (isWhole || !entry.trigger.isWholeWord) found(entry)
  }
}

const ENDS = /^[\p{P}\s]+|[\p{P}\s]+$/gu

/** Returns a text without punctuation at both ends, unless it is nothing else. */
const withoutPunctuation = (text: string): string => text.replaceAll(ENDS, '') || text

/** The matches of a text, the best first. */
export interface Matches<T extends Trigger> {
  found: TriggerMatch<T>[]
  /** Triggers with regular expressions that the time did not suffice for. */
  skipped: T[]
}

/**
 * The triggers of an organization, prepared for many texts: a text is compared with all keywords at
 * once. Regular expressions are compiled when they are used for the first time.
 */
export class TriggerSet<T extends Trigger> {
  private readonly compiled = new Map<string, SafeRegex | null>()

  private constructor(
    readonly triggers: readonly T[],
    private readonly groups: readonly KeywordGroup<T>[],
    /** Triggers with regular expressions, the best first. */
    private readonly withRegex: readonly T[],
  ) {}

  /** Prepares triggers at once. */
  static of<T extends Trigger>(triggers: readonly T[]): TriggerSet<T> {
    return finish(TriggerSet.building(triggers))
  }

  /** Prepares triggers in steps. */
  static *building<T extends Trigger>(triggers: readonly T[]): Sliced<TriggerSet<T>> {
    const groups = [
      yield* KeywordGroup.building(triggers, { isCaseSensitive: true }),
      yield* KeywordGroup.building(triggers, { isCaseSensitive: false }),
    ]
    const withRegex = triggers
      .filter(({ matchType }) => matchType === 'regex')
      .toSorted((a, b) => b.priority - a.priority || byAge(a, b))
    return new TriggerSet(triggers, groups, withRegex)
  }

  /**
   * Returns the triggers that match a message, the best first. Once `isOver` returns true, no
   * further regular expressions are tried.
   */
  match(message: MatchedText, isOver: () => boolean): Matches<T> {
    const text = message.text.slice(0, MAX_TEXT)
    const best = new Map<T, TriggerMatch<T>>()
    const found = ({ trigger, keyword }: Entry<T>, groups: Record<string, string> = {}): void => {
      const known = best.get(trigger)
      if (known ? longer(keyword, known.keyword) > 0 : isActive(trigger, message))
        best.set(trigger, { trigger, keyword, groups })
    }
    for (const group of this.groups) group.each(text, found)
    const skipped: T[] = []
    const searched = normalText(text, { isCaseSensitive: true })
    for (const trigger of this.withRegex.filter((each) => isActive(each, message)))
      for (const keyword of trigger.keywords) {
        if (isOver()) {
          skipped.push(trigger)
          break
        }
        const groups = this.regexOf(trigger, keyword)?.find(searched)
        if (groups) found({ trigger, keyword }, groups)
      }
    return { found: [...best.values()].toSorted(byRank), skipped }
  }

  private regexOf({ isCaseSensitive }: T, pattern: string): SafeRegex | null {
    const key = `${isCaseSensitive}${pattern}`
    const known = this.compiled.get(key)
    if (known !== undefined) return known
    const made = SafeRegex.compile(pattern, { isCaseSensitive })
    const regex = made instanceof SafeRegex ? made : null
    this.compiled.set(key, regex)
    return regex
  }
}

/** Whether a trigger works on a number at an instant. */
function isActive(trigger: Trigger, { accountId, atMs, timezone }: MatchedText): boolean {
  const { activeFromMs, activeUntilMs, activeHours } = trigger
  return (
    (trigger.accountId === null || trigger.accountId === accountId) &&
    (activeFromMs === null || atMs >= activeFromMs) &&
    (activeUntilMs === null || atMs < activeUntilMs) &&
    (activeHours === null || isOpen(activeHours, timezone, atMs))
  )
}

/** Positive if the first keyword is longer, in characters. */
const longer = (a: string, b: string): number => [...a].length - [...b].length

const byAge = (a: Trigger, b: Trigger): number =>
  a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/**
 * The order of matches: highest priority, longest keyword, trigger of the number before that of the
 * organization, oldest.
 */
const byRank = <T extends Trigger>(a: TriggerMatch<T>, b: TriggerMatch<T>): number =>
  b.trigger.priority - a.trigger.priority ||
  longer(b.keyword, a.keyword) ||
  Number(a.trigger.accountId === null) - Number(b.trigger.accountId === null) ||
  byAge(a.trigger, b.trigger)
