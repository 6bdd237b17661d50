import { Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Facts about a full international number. */
export interface KnownNumber {
  /** E.164 digits. */
  digits: string
  /** National number without the leading zero. */
  national: string
  /** ISO 3166 alpha-2; `null` if no country matches. */
  country: string | null
  /** Whether numbers of this length exist in the country. */
  isPossible: boolean
}

/**
 * The part of the library's numbering plan that this file uses. Half of it is missing in the
 * library's types.
 */
interface Plan {
  nationalPrefixForParsing(): string | undefined
  nationalNumberPattern(): string
  possibleLengths(): number[]
  leadingDigits(): string | undefined
  type(
    type: string,
  ): { pattern(): string | undefined; possibleLengths(): number[] | undefined } | undefined
}

/** The library's calling code lookup. */
interface CallingCodeLookup {
  hasCallingCode(code: string): boolean | undefined
  getCountryCodesForCallingCode(code: string): string[] | undefined
}

/** Number types by which the library decides the country of a shared calling code. */
const TYPES = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
] as const

/** A country that uses a calling code, alone or shared. */
interface Country {
  code: string
  lengths: number[]
  matches: (national: string) => boolean
}

/** A calling code with its countries. */
interface CallingCode {
  /** National prefix that the library strips when it stands before the national number. */
  prefix: RegExp | null
  lengths: number[]
  countries: Country[]
}

const MAX_CODE_LENGTH = 3
const [MIN_NATIONAL, MAX_NATIONAL] = [2, 17]

const metadata = new Metadata()

const planOf = (countryOrCode: string): Plan => {
  // accepts calling codes too, which its types omit
  metadata.selectNumberingPlan(countryOrCode as 'US')
  return metadata.numberingPlan as unknown as Plan
}

const wholeMatch = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)

const codes = new Map<string, CallingCode | null>()

/** Returns the calling code that a number begins with. */
function findCallingCode(digits: string): [code: string, what: CallingCode] | null {
  for (let length = 1; length <= MAX_CODE_LENGTH; length += 1) {
    const code = digits.slice(0, length)
    const known = codes.get(code)
    const callingCode = known === undefined ? loadCallingCode(code) : known
    if (callingCode) return [code, callingCode]
  }
  return null
}

function loadCallingCode(code: string): CallingCode | null {
  const known = metadata as unknown as CallingCodeLookup // missing in the library's types
  let callingCode: CallingCode | null = null
  if (known.hasCallingCode(code) === true) {
    const plan = planOf(code)
    const prefix = plan.nationalPrefixForParsing()
    const countries = known.getCountryCodesForCallingCode(code) ?? []
    callingCode = {
      prefix: prefix ? new RegExp(`^(?:${prefix})`) : null,
      lengths: plan.possibleLengths(),
      countries: countries.map((country) => countryOf(country, countries.length === 1)),
    }
  }
  codes.set(code, callingCode)
  return callingCode
}

function countryOf(code: string, isAlone: boolean): Country {
  const plan = planOf(code)
  const lengths = plan.possibleLengths()
  if (isAlone) return { code, lengths, matches: () => true }
  const leading = plan.leadingDigits()
  if (leading) {
    const leadingPattern = new RegExp(`^(?:${leading})`)
    return { code, lengths, matches: (national) => leadingPattern.test(national) }
  }
  const general = wholeMatch(plan.nationalNumberPattern())
  const types = TYPES.flatMap((name) => {
    const type = plan.type(name)
    const pattern = type?.pattern()
    return pattern ? [{ pattern: wholeMatch(pattern), lengths: type?.possibleLengths() }] : []
  })
  const isOfType = (national: string) =>
    types.some(
      (type) => (type.lengths?.includes(national.length) ?? true) && type.pattern.test(national),
    )
  return { code, lengths, matches: (national) => general.test(national) && isOfType(national) }
}

/**
 * Returns facts about full international digits, or `null` if they are not a number. Gives the
 * results of `libphonenumber-js` from its own numbering plans, with patterns compiled once. Numbers
 * with a national prefix are left to the library.
 */
export function knownNumber(digits: string): KnownNumber | null {
  const found = findCallingCode(digits)
  if (!found) return null
  const [code, { prefix, lengths, countries }] = found
  const national = digits.slice(code.length)
  if (
    national.length < MIN_NATIONAL ||
    national.length > MAX_NATIONAL ||
    prefix?.test(national) === true
  )
    return parseWithLibrary(digits)
  const owningCountry = countries.find(({ matches }) => matches(national))
  return {
    digits,
    national,
    // If the number does not decide between the countries of a shared calling code, take the first
    // one with numbers of this length.
    country:
      (owningCountry ?? countries.find((country) => country.lengths.includes(national.length)))
        ?.code ?? null,
    isPossible: (owningCountry?.lengths ?? lengths).includes(national.length),
  }
}

/** Asks the library itself. */
function parseWithLibrary(digits: string): KnownNumber | null {
  const phone = parsePhoneNumberFromString(`+${digits}`)
  if (!phone) return null
  return {
    digits: phone.number.slice(1),
    national: phone.nationalNumber,
    country: phone.country ?? phone.getPossibleCountries()[0] ?? null,
    isPossible: phone.isPossible(),
  }
}
