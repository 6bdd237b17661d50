import { hasWholeWords, normalText, spoken } from '../../../lib/whole-words'
import { WORDS_LANGUAGES, type WordsLanguage } from './catalog'

/** What customers say in a language. */
interface Words {
  /** They ask for a person anywhere in a message, so none of them is common in other sentences. */
  person: readonly string[]
  /** They cancel a bot flow as the whole message. */
  cancel: readonly string[]
}

/** Our words, by language tag. */
const BY_LANGUAGE: Readonly<Record<WordsLanguage, Words>> = {
  ar: {
    person: [
      'موظف',
      'الموظف',
      'لموظف',
      'بموظف',
      'ممثل خدمة العملاء',
      'شخص حقيقي',
      'التحدث مع شخص',
      'التحدث إلى شخص',
    ],
    cancel: ['إلغاء', 'الغاء', 'خروج'],
  },
  de: {
    person: [
      'mitarbeiter',
      'mitarbeiterin',
      'kundenberater',
      'kundenberaterin',
      'ansprechpartner',
      'ansprechpartnerin',
      'echter mensch',
      'mit einem menschen',
      'mit jemandem sprechen',
      'mit jemandem reden',
    ],
    cancel: ['abbrechen', 'abbruch', 'stopp'],
  },
  en: {
    person: [
      'agent',
      'human',
      'representative',
      'customer service',
      'real person',
      'talk to a person',
      'speak to a person',
      'talk to someone',
      'speak to someone',
      'speak with someone',
    ],
    cancel: ['cancel', 'stop', 'exit', 'quit'],
  },
  es: {
    person: [
      'agente',
      'asesor',
      'asesora',
      'humano',
      'persona real',
      'hablar con una persona',
      'hablar con alguien',
    ],
    cancel: ['cancelar', 'parar', 'salir'],
  },
  fr: {
    person: [
      'conseiller',
      'conseillère',
      'humain',
      'vraie personne',
      "parler à quelqu'un",
      'parler à quelqu’un',
      'parler à une personne',
      'parler avec une personne',
    ],
    cancel: ['annuler', 'arrêter', 'quitter'],
  },
  hi: {
    person: ['एजेंट', 'प्रतिनिधि', 'इंसान', 'किसी से बात', 'व्यक्ति से बात'],
    cancel: ['रद्द करें', 'रद्द', 'बंद करें'],
  },
  id: {
    person: ['agen', 'petugas', 'manusia', 'customer service', 'bicara dengan orang'],
    cancel: ['batal', 'batalkan', 'berhenti'],
  },
  it: {
    person: [
      'operatore',
      'operatrice',
      'umano',
      'persona reale',
      'parlare con una persona',
      'parlare con qualcuno',
    ],
    cancel: ['annulla', 'annullare', 'esci'],
  },
  pt: {
    person: [
      'atendente',
      'agente',
      'humano',
      'pessoa real',
      'falar com uma pessoa',
      'falar com alguém',
    ],
    cancel: ['cancelar', 'parar', 'sair'],
  },
  tr: {
    person: [
      'temsilci',
      'temsilciye',
      'temsilciyle',
      'temsilcisi',
      'temsilcisine',
      'temsilcisiyle',
      'gerçek kişi',
      'gerçek biriyle',
    ],
    cancel: ['iptal', 'iptal et', 'vazgeç', 'çıkış'],
  },
}

/** Our words as they are compared, by language. */
const COMPARED = new Map(
  WORDS_LANGUAGES.map((language) => [
    language,
    {
      person: BY_LANGUAGE[language].person.map((word) => normalText(word)),
      cancel: new Set(BY_LANGUAGE[language].cancel.map((word) => spoken(word))),
    },
  ]),
)

/** The settings that say which words are heard. */
interface Heard {
  transfer_keywords: readonly string[]
  person_words_languages: readonly WordsLanguage[] | null
}

const ours = ({ person_words_languages: narrowed }: Heard) =>
  (narrowed ?? WORDS_LANGUAGES).flatMap((language) => COMPARED.get(language) ?? [])

/** Whether anything that a customer says asks for a person. */
export const hearsPersonWords = (settings: Heard): boolean =>
  settings.transfer_keywords.length > 0 || settings.person_words_languages?.length !== 0

/** Whether a text asks for a person, with a word of the settings or one of ours. */
export const asksForPerson = (settings: Heard, written: string): boolean =>
  hasOwnPersonWord(settings, written) || hasOurPersonWord(settings, written)

/** Whether a text asks for a person with a word of the settings. */
export function hasOwnPersonWord({ transfer_keywords: own }: Heard, written: string): boolean {
  const text = normalText(written)
  return own.some((word) => hasWholeWords(text, normalText(word)))
}

/** Whether a text asks for a person with one of our words. */
export function hasOurPersonWord(settings: Heard, written: string): boolean {
  const text = normalText(written)
  return ours(settings).some(({ person }) => person.some((word) => hasWholeWords(text, word)))
}

/** Whether a message cancels a flow, with one of the flow's own words or one of ours. */
export function saysCancel(settings: Heard, own: readonly string[], written: string): boolean {
  // A flow without cancel words is not cancelled.
  if (own.length === 0) return false
  const text = normalText(written)
  const said = spoken(written)
  return (
    own.some((word) => [text, said].includes(normalText(word))) ||
    ours(settings).some(({ cancel }) => cancel.has(said))
  )
}
