import { isOpen, type CompiledHours } from '../../../../lib/business-hours'
import { PhraseIndex } from '../../../../lib/phrase-index'
import { SafeRegex } from '../../../../lib/safe-regex'
import { finish, type Sliced } from '../../../../lib/sliced'
import {
  isUnspaced,
  normalText,
  searchedText,
  withoutPunctuation,
  WordEdges,
} from '../../../../lib/whole-words'

/** Something that begins with certain words: a keyword rule, or the trigger of a bot flow. */
export interface KeywordTrigger {
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
export interface TriggerMatch<T extends KeywordTrigger> {
  trigger: T
  keyword: string
  /** Length of the keyword in characters. */
  length: number
  /** Named groups of a regular expression. */
  groups: Record<string, string>
}

/** A keyword of a trigger. */
interface Entry<T extends KeywordTrigger> {
  trigger: T
  keyword: string
  /** In characters. */
  length: number
}

const entryOf = <T extends KeywordTrigger>(trigger: T, keyword: string): Entry<T> => ({
  trigger,
  keyword,
  length: [...keyword].length,
})

/** Longer texts are cut before they are matched: a message has no more on the platform. */
const MAX_TEXT = 4_096

/** How keywords other than regular expressions are compared. */
type PhraseType = Exclude<KeywordTrigger['matchType'], 'regex'>

/** The entries of each phrase. */
type Phrases<T extends KeywordTrigger> = Map<string, Entry<T>[]>

/** The entries of a phrase, of which those without whole words match anywhere. */
interface PhraseEntries<T extends KeywordTrigger> {
  whole: Entry<T>[]
  anywhere: Entry<T>[]
}

/** Phrases that are searched at once, with their entries. */
class PhraseEntriesIndex<T extends KeywordTrigger> {
  private constructor(
    private readonly index: PhraseIndex,
    /** The entries of each phrase of the index. */
    private readonly entries: readonly PhraseEntries<T>[],
    /** Which of them have entries of a kind. */
    private readonly has: Readonly<Record<keyof PhraseEntries<T>, Uint8Array>>,
  ) {}

  static *building<T extends KeywordTrigger>(phrases: Phrases<T>): Sliced<PhraseEntriesIndex<T>> {
    const index = yield* PhraseIndex.building(phrases.keys())
    const entries: PhraseEntries<T>[] = []
    const { length } = index.phrases
    const has = { whole: new Uint8Array(length), anywhere: new Uint8Array(length) }
    for (const [at, phrase] of index.phrases.entries()) {
      const all = phrases.get(phrase) ?? []
      const isWhole = ({ trigger }: Entry<T>): boolean => trigger.isWholeWord && !isUnspaced(phrase)
      const whole = all.filter(isWhole)
      const anywhere = all.filter((entry) => !isWhole(entry))
      entries.push({ whole, anywhere })
      has.whole[at] = Number(whole.length > 0)
      has.anywhere[at] = Number(anywhere.length > 0)
      if (at % AT_ONCE === 0) yield
    }
    return new PhraseEntriesIndex(index, entries, has)
  }

  /** Calls back once with each entry whose phrase begins at a place of the text before `end`. */
  each(text: string, end: number, found: (entry: Entry<T>) => void): void {
    if (this.index.isEmpty) return
    const edges = new WordEdges(text)
    const whole = this.openOf('whole')
    const anywhere = this.openOf('anywhere')
    const report = ({ kind, isOpen }: Open<T>, index: number): void => {
      isOpen[index] = 0
      for (const entry of this.entries[index]?.[kind] ?? []) found(entry)
    }
    for (let at = 0; at < end; at += 1) {
      const isEdge = edges.isLeftFree(at)
      if (!isEdge && anywhere.isNone) continue
      this.index.eachAt(text, at, (index, length) => {
        if (anywhere.isOpen[index] === 1) report(anywhere, index)
        if (isEdge && whole.isOpen[index] === 1 && edges.isRightFree(at + length))
          report(whole, index)
      })
    }
  }

  /** Returns which phrases have entries of a kind that were not found yet. */
  private openOf(kind: keyof PhraseEntries<T>): Open<T> {
    const isOpen = this.has[kind].slice()
    return { kind, isOpen, isNone: !isOpen.includes(1) }
  }
}

/** The phrases whose entries of a kind were not found yet. */
interface Open<T extends KeywordTrigger> {
  kind: keyof PhraseEntries<T>
  isOpen: Uint8Array
  /** Whether there were none at the beginning. */
  isNone: boolean
}

/** Phrases between two pauses. */
const AT_ONCE = 500

/** Keywords that are compared in one form: with case, or without. */
class KeywordGroup<T extends KeywordTrigger> {
  private constructor(
    private readonly form: { isCaseSensitive: boolean },
    private readonly exact: Phrases<T>,
    private readonly first: PhraseEntriesIndex<T>,
    private readonly anywhere: PhraseEntriesIndex<T>,
    private readonly isEmpty: boolean,
  ) {}

  static *building<T extends KeywordTrigger>(
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
        if (known) known.push(entryOf(trigger, keyword))
        else entries[matchType].set(phrase, [entryOf(trigger, keyword)])
      }
      yield
    }
    const isEmpty = Object.values(entries).every(({ size }) => size === 0)
    const first = yield* PhraseEntriesIndex.building(entries.starts_with)
    const anywhere = yield* PhraseEntriesIndex.building(entries.contains)
    return new KeywordGroup(form, entries.exact, first, anywhere, isEmpty)
  }

  /** Calls back once with each keyword that a text contains. */
  each(written: string, found: (entry: Entry<T>) => void): void {
    if (this.isEmpty) return
    const text = normalText(written, this.form)
    for (const entry of this.exact.get(withoutPunctuation(text)) ?? []) found(entry)
    this.first.each(text, 1, found)
    this.anywhere.each(text, text.length, found)
  }
}

/** The matches of a text, the best first. */
export interface Matches<T extends KeywordTrigger> {
  found: TriggerMatch<T>[]
  /** Triggers with regular expressions that the time did not suffice for. */
  skipped: T[]
}

/**
 * The triggers of an organization, prepared for many texts: a text is compared with all keywords at
 * once. Regular expressions are compiled when they are used for the first time.
 */
export class TriggerSet<T extends KeywordTrigger> {
  private readonly compiled = new Map<string, SafeRegex | null>()

  private constructor(
    readonly triggers: readonly T[],
    private readonly groups: readonly KeywordGroup<T>[],
    /** Triggers with regular expressions, the best first. */
    private readonly withRegex: readonly T[],
  ) {}

  /** Prepares triggers at once. */
  static of<T extends KeywordTrigger>(triggers: readonly T[]): TriggerSet<T> {
    return finish(TriggerSet.building(triggers))
  }

  /** Prepares triggers in steps. */
  static *building<T extends KeywordTrigger>(triggers: readonly T[]): Sliced<TriggerSet<T>> {
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
    const best = new Map<T, TriggerMatch<T> | null>()
    const found = (entry: Entry<T>, groups: Record<string, string> = {}): void => {
      const { trigger, length } = entry
      const known = best.get(trigger)
      if (known === undefined)
        best.set(trigger, isActive(trigger, message) ? { ...entry, groups } : null)
      else if (known !== null && length > known.length) best.set(trigger, { ...entry, groups })
    }
    for (const group of this.groups) group.each(text, found)
    const skipped: T[] = []
    const searched = searchedText(text)
    for (const trigger of this.withRegex.filter((each) => isActive(each, message)))
      for (const keyword of trigger.keywords) {
        if (isOver()) {
          skipped.push(trigger)
          break
        }
        const groups = this.regexOf(trigger, keyword)?.find(searched)
        if (groups) found(entryOf(trigger, keyword), groups)
      }
    const matches = [...best.values()].filter((match) => match !== null)
    return { found: matches.toSorted(byRank), skipped }
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
function isActive(trigger: KeywordTrigger, { accountId, atMs, timezone }: MatchedText): boolean {
  const { activeFromMs, activeUntilMs, activeHours } = trigger
  return (
    (trigger.accountId === null || trigger.accountId === accountId) &&
    (activeFromMs === null || atMs >= activeFromMs) &&
    (activeUntilMs === null || atMs < activeUntilMs) &&
    (activeHours === null || isOpen(activeHours, timezone, atMs))
  )
}

const byAge = (a: KeywordTrigger, b: KeywordTrigger): number =>
  a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/**
 * The order of matches: highest priority, longest keyword, trigger of the number before that of the
 * organization, oldest.
 */
const byRank = <T extends KeywordTrigger>(a: TriggerMatch<T>, b: TriggerMatch<T>): number =>
  b.trigger.priority - a.trigger.priority ||
  b.length - a.length ||
  Number(a.trigger.accountId === null) - Number(b.trigger.accountId === null) ||
  byAge(a.trigger, b.trigger)
