import { languageAmong } from '../../../lib/by-language'

/** Our sentence that tells people that they talk to AI, by language. */
const OURS: Readonly<Record<string, string>> = {
  ar: 'يجيبك هنا مساعد آلي يعمل بالذكاء الاصطناعي.',
  de: 'Hier antwortet Ihnen ein KI-Assistent.',
  en: 'You are chatting with an AI assistant.',
  es: 'Está hablando con un asistente de inteligencia artificial.',
  fr: 'Vous discutez avec un assistant d’intelligence artificielle.',
  hi: 'आप एक एआई सहायक से बात कर रहे हैं।',
  id: 'Anda sedang berbicara dengan asisten AI.',
  it: 'Stai parlando con un assistente di intelligenza artificiale.',
  nl: 'U chat met een AI-assistent.',
  pt: 'Está a falar com um assistente de inteligência artificial.',
  'pt-br': 'Você está falando com um assistente de inteligência artificial.',
}

/** Our sentences as the compliance page shows them, with the organization's own ones in place. */
export const disclosureTexts = (own: Readonly<Record<string, string>>): Record<string, string> => ({
  ...OURS,
  ...Object.fromEntries(Object.entries(own).map(([tag, text]) => [tag.toLowerCase(), text])),
})

/**
 * Returns the sentence for a contact's language (BCP 47), else in English: the organization's own
 * text, else ours.
 */
export function disclosureText(
  own: Readonly<Record<string, string>>,
  language: string | null,
): string {
  const texts = disclosureTexts(own)
  return texts[languageAmong(texts, [language])] ?? ''
}

/** Longest text of a message, characters. */
const MAX_TEXT = 4_096

/** Returns the text to send: the disclosure, if there is one, before the answer; at most 4,096 characters. */
export function withDisclosure(answer: string, disclosure: string | null): string {
  const whole = disclosure === null ? answer : `${disclosure}\n\n${answer}`
  return [...whole].length <= MAX_TEXT ? whole : [...whole].slice(0, MAX_TEXT).join('')
}
