import { foldText } from '../../../lib/fold-text'
import { isCountry } from '../../../lib/phone'
import { ALL_COUNTRIES } from './lookup'

/** Countries of the platform's regional groups, as the rate cards name them. */
const REGIONS: Readonly<Record<string, string>> = {
  'north america': 'CA US',
  'rest of africa':
    'AO BF BI BJ BW CG CI CM DZ ER ET GA GH GM GW KE LR LS LY MA MG ML MR MW MZ NA NE RW SD SL SN ' +
    'SO SS SZ TD TG TN TZ UG ZM ZW',
  'rest of asia pacific': 'AF AU BD CN HK JP KH LA LK MN NP NZ PG PH SG TH TJ TM TW UZ VN',
  'rest of central & eastern europe': 'AL AM AZ BG BY CZ GE GR HR HU LT LV MD MK PL RO RS SI SK UA',
  'rest of western europe': 'AT BE CH DK FI IE NO PT SE',
  'rest of latin america': 'BO CR DO EC GT HN HT JM NI PA PR PY SV UY VE',
  'rest of middle east': 'BH IQ JO KW LB OM QA YE',
  other: ALL_COUNTRIES,
}

/** Countries that became markets of their own, by date. They are in no regional group since then. */
const OWN_SINCE: readonly { date: string; codes: readonly string[] }[] = [
  { date: '2026-10-01', codes: 'BD IQ KW KZ LK MA NP OM UA'.split(' ') },
]

/** Names of the rate cards that differ from those of the Unicode data. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'czech republic': 'CZ',
  'hong kong': 'HK',
  'ivory coast': 'CI',
  macau: 'MO',
  'republic of the congo': 'CG',
  swaziland: 'SZ',
  turkey: 'TR',
  uae: 'AE',
  uk: 'GB',
  usa: 'US',
  'viet nam': 'VN',
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')

const allCountries = (): string[] =>
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCountry)

const nameKey = (name: string): string =>
  foldText(name)
    .toLowerCase()
    .replaceAll(/\band\b/g, '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The countries of a market. */
export interface Market {
  codes: string[]
  /** Whether it is a group. A country with prices of its own is none of it. */
  isGroup: boolean
}

/**
 * Finds the markets of a rate card of a date (`YYYY-MM-DD`): countries and regional groups by
 * English name or code.
 */
export class Markets {
  private readonly byName: Map<string, string>
  private readonly own: ReadonlySet<string>

  constructor(date: string) {
    this.own = new Set(OWN_SINCE.flatMap((since) => (since.date <= date ? since.codes : [])))
    const names = new Intl.DisplayNames('en', { type: 'region' })
    const codes = allCountries()
    this.byName = new Map(codes.map((code) => [nameKey(names.of(code) ?? code), code]))
    for (const [name, code] of Object.entries(OTHER_NAMES)) this.byName.set(name, code)
    for (const code of codes) this.byName.set(code.toLowerCase(), code)
  }

  /** Returns a market, or `null` if the name is unknown. */
  find(name: string): Market | null {
    const key = nameKey(name)
    const group = REGIONS[key]
    if (group !== undefined)
      return { codes: group.split(' ').filter((each) => !this.own.has(each)), isGroup: true }
    const code = this.byName.get(key)
    return code === undefined ? null : { codes: [code], isGroup: false }
  }
}
