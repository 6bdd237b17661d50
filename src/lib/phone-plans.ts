import { Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** What is known of a full international number. */
export interface KnownNumber {
  /** E.164 digits. */
  digits: string
  /** As dialled inside its country, without the leading zero. */
  national: string
  /** ISO 3166 alpha-2; `null` when the number belongs to none. */
  country: string | null
  /** Whether numbers of its country have so many digits. */
  isPossible: boolean
}

/**
 * What the library knows of a numbering plan, as far as it is used here; half of it is not in its
 * types.
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

/** What it knows of calling codes. */
interface Codes {
  hasCallingCode(code: string): boolean | undefined
  getCountryCodesForCallingCode(code: string): string[] | undefined
}

/** Types of numbers by which the library tells whose a number is. */
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

/** A country that has a calling code, alone or with others. */
interface Country {
  code: string
  lengths: number[]
  owns: (national: string) => boolean
}

/** A calling code. */
interface Code {
  /**
   * What may stand before the number of a person who dials inside of it, and is to be taken off by
   * the library.
   */
  prefix: RegExp | null
  lengths: number[]
  countries: Country[]
}

const MAX_CODE_LENGTH = 3
const [MIN_NATIONAL, MAX_NATIONAL] = [2, 17]

const metadata = new Metadata()

const planOf = (countryOrCode: string): Plan => {
  // a calling code is as good, though not in its types
  metadata.selectNumberingPlan(countryOrCode as 'US')
  return metadata.numberingPlan as unknown as Plan
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)

const codes = new Map<string, Code | null>()

/** The calling code that a number begins with. */
function codeOf(digits: string): [code: string, what: Code] | null {
  for (let length = 1; length <= MAX_CODE_LENGTH; length += 1) {
    const code = digits.slice(0, length)
    const known = codes.get(code)
    const what = known === undefined ? learn(code) : known
    if (what) return [code, what]
  }
  return null
}

function learn(code: string): Code | null {
  const known = metadata as unknown as Codes // not in its types
  let what: Code | null = null
  if (known.hasCallingCode(code) === true) {
    const plan = planOf(code)
    const prefix = plan.nationalPrefixForParsing()
    const countries = known.getCountryCodesForCallingCode(code) ?? []
    what = {
      prefix: prefix ? new RegExp(`^(?:${prefix})`) : null,
      lengths: plan.possibleLengths(),
      countries: countries.map((country) => countryOf(country, countries.length === 1)),
    }
  }
  codes.set(code, what)
  return what
}

function countryOf(code: string, isAlone: boolean): Country {
  const plan = planOf(code)
  const lengths = plan.possibleLengths()
  if (isAlone) return { code, lengths, owns: () => true }
  const leading = plan.leadingDigits()
  if (leading) {
    const begins = new RegExp(`^(?:${leading})`)
    return { code, lengths, owns: (national) => begins.test(national) }
  }
  const general = whole(plan.nationalNumberPattern())
  const types = TYPES.flatMap((name) => {
    const type = plan.type(name)
    const pattern = type?.pattern()
    return pattern ? [{ pattern: whole(pattern), lengths: type?.possibleLengths() }] : []
  })
  const isOfType = (national: string) =>
    types.some(
      (type) => (type.lengths?.includes(national.length) ?? true) && type.pattern.test(national),
    )
  return { code, lengths, owns: (national) => general.test(national) && isOfType(national) }
}

/**
 * What is known of full international digits; `null` when they are no number. What
 * `libphonenumber-js` says, by its own numbering plans, with their patterns compiled once; numbers
 * with something before them that is dialled inside a country only are left to itself.
 */
export function knownNumber(digits: string): KnownNumber | null {
  const found = codeOf(digits)
  if (!found) return null
  const [code, { prefix, lengths, countries }] = found
  const national = digits.slice(code.length)
  if (
    national.length < MIN_NATIONAL ||
    national.length > MAX_NATIONAL ||
    prefix?.test(national) === true
  )
    return byLibrary(digits)
  const owner = countries.find(({ owns }) => owns(national))
  return {
    digits,
    national,
    // Where a calling code is shared and the number does not tell, the first country that has
    // numbers so long.
    country:
      (owner ?? countries.find((country) => country.lengths.includes(national.length)))?.code ??
      null,
    isPossible: (owner?.lengths ?? lengths).includes(national.length),
  }
}

/** What the library itself says. */
function byLibrary(digits: string): KnownNumber | null {
  const phone = parsePhoneNumberFromString(`+${digits}`)
  if (!phone) return null
  return {
    digits: phone.number.slice(1),
    national: phone.nationalNumber,
    country: phone.country ?? phone.getPossibleCountries()[0] ?? null,
    isPossible: phone.isPossible(),
  }
}
