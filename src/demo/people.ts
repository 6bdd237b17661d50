import { pick } from '../simulator/random'
import type { Business, Language } from './business'

/** A customer: the name of the profile, and a number that is reserved for stories. */
export interface Person {
  name: string
  waId: string
  language: Language
}

const NAMES: Record<Language, { first: string; last: string }> = {
  en: {
    first: 'Olivia Jack Amelia Harry Grace Thomas Emily Oscar Freya George',
    last: 'Walker Hughes Bennett Clarke Foster Murphy Palmer Reid Shaw Turner',
  },
  de: {
    first: 'Anja Lukas Katharina Jonas Miriam Felix Birgit Moritz Svenja Torsten Nele Henrik',
    last: 'Brandt Krüger Lehmann Vogel Schuster Winter Keller Busch Lorenz Albrecht',
  },
  es: {
    first: 'Lucía Mateo Carmen Javier Elena Diego Paula Andrés',
    last: 'Navarro Ortega Vidal Romero Castillo Molina',
  },
  fr: {
    first: 'Camille Hugo Inès Louis Manon Théo Chloé Antoine',
    last: 'Lambert Moreau Girard Fontaine Rousseau Mercier',
  },
  pt: {
    first: 'Beatriz Tiago Inês Rui Mariana Duarte',
    last: 'Carvalho Teixeira Almeida Nogueira',
  },
  tr: {
    first: 'Elif Emre Zeynep Kerem Aylin Deniz',
    last: 'Yıldız Kaya Demir Şahin',
  },
}

/** How many customers of ten write in a language. */
const SHARES: Language[] = ['de', 'de', 'de', 'en', 'en', 'en', 'es', 'fr', 'tr', 'pt']

/** Gives out customers of a business. No two have the same name or the same number. */
export class Crowd {
  private readonly names = new Set<string>()
  /** How many numbers of a range are taken, by its first digits. */
  private readonly counts = new Map<string, number>()

  constructor(
    private readonly business: Business,
    private readonly random: () => number,
  ) {}

  /** Returns somebody new. */
  next(): Person {
    const language = pick(this.random, SHARES) ?? 'en'
    return this.called(this.freeName(language), language)
  }

  /** Returns somebody with this name. */
  called(name: string, language: Language): Person {
    this.names.add(name)
    return { name, language, waId: this.freeNumber(language) }
  }

  private freeName(language: Language): string {
    const { first, last } = NAMES[language]
    const names = first
      .split(' ')
      .flatMap((given) => last.split(' ').map((family) => `${given} ${family}`))
      .filter((name) => !this.names.has(name))
    return pick(this.random, names) ?? `${pick(this.random, first.split(' '))} ${this.names.size}`
  }

  /**
   * Returns a number that the regulator of its country keeps free for stories. Throws when there is
   * none left.
   */
  private freeNumber(language: Language): string {
    const { first, digits } = this.rangeOf(language)
    const count = (this.counts.get(first) ?? 0) + 1
    this.counts.set(first, count)
    if (count >= 10 ** digits) throw new Error(`all numbers that begin with ${first} are taken`)
    return first + String(count).padStart(digits, '0')
  }

  private rangeOf(language: Language): { first: string; digits: number } {
    if (language === 'en') return { first: '447700900', digits: 3 }
    if (language === 'de' || language === 'tr')
      return { first: this.business.germanNumbers, digits: 2 }
    return { first: '336399800', digits: 2 }
  }
}
