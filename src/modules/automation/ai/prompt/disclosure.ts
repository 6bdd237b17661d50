import { languageAmong } from '../../../../lib/by-language'
import type { ChatbotSettings } from '../../chatbot-settings/catalog'

/**
 * Our sentence that tells people that they talk to AI, by language: all official languages of the
 * European Union, whose law requires it (AI Act, article 50(1)), and some more.
 */
const OURS: Readonly<Record<string, string>> = {
  ar: 'يجيبك هنا مساعد آلي يعمل بالذكاء الاصطناعي.',
  bg: 'Разговаряте с асистент с изкуствен интелект.',
  cs: 'Komunikujete s asistentem, který využívá umělou inteligenci.',
  da: 'Du chatter med en AI-assistent.',
  de: 'Hier antwortet Ihnen ein KI-Assistent.',
  el: 'Συνομιλείτε με έναν βοηθό τεχνητής νοημοσύνης.',
  en: 'You are chatting with an AI assistant.',
  es: 'Está hablando con un asistente de inteligencia artificial.',
  et: 'Te vestlete tehisintellekti assistendiga.',
  fi: 'Keskustelet tekoälyavustajan kanssa.',
  fr: 'Vous discutez avec un assistant d’intelligence artificielle.',
  ga: 'Tá tú ag comhrá le cúntóir intleachta saorga.',
  hi: 'आप एक एआई सहायक से बात कर रहे हैं।',
  hr: 'Razgovarate s asistentom koji se temelji na umjetnoj inteligenciji.',
  hu: 'Ön egy mesterséges intelligencián alapuló asszisztenssel beszélget.',
  id: 'Anda sedang berbicara dengan asisten AI.',
  it: 'Stai parlando con un assistente di intelligenza artificiale.',
  lt: 'Jūs kalbatės su dirbtinio intelekto asistentu.',
  lv: 'Jūs sarunājaties ar mākslīgā intelekta asistentu.',
  mt: 'Qed titkellem ma’ assistent tal-intelliġenza artifiċjali.',
  nl: 'U chat met een AI-assistent.',
  pl: 'Odpowiada tu asystent oparty na sztucznej inteligencji.',
  pt: 'Está a falar com um assistente de inteligência artificial.',
  'pt-br': 'Você está falando com um assistente de inteligência artificial.',
  ro: 'Discutați cu un asistent bazat pe inteligență artificială.',
  sk: 'Komunikujete s asistentom, ktorý využíva umelú inteligenciu.',
  sl: 'Pogovarjate se s pomočnikom, ki uporablja umetno inteligenco.',
  sv: 'Du chattar med en AI-assistent.',
}

/** Our sentences as the compliance page shows them, with the organization's own ones in place. */
export const disclosureTexts = (own: Readonly<Record<string, string>>): Record<string, string> => ({
  ...OURS,
  ...Object.fromEntries(Object.entries(own).map(([tag, text]) => [tag.toLowerCase(), text])),
})

/**
 * Returns the sentence to say before what AI wrote, or `null` if the settings want none there: the
 * organization's own text, else ours, in one of the languages (BCP 47, the best first; `null` is an
 * unknown one), else in English. `isFirst` says that it was not said in the session yet.
 */
export function disclosureOf(
  settings: Readonly<Pick<ChatbotSettings, 'ai_disclosure' | 'ai_disclosure_text'>>,
  { languages, isFirst }: { languages: readonly (string | null)[]; isFirst: boolean },
): string | null {
  const { ai_disclosure: when, ai_disclosure_text: own } = settings
  if (when === 'off' || (when === 'first_in_session' && !isFirst)) return null
  const texts = disclosureTexts(own)
  return texts[languageAmong(texts, languages)] ?? null
}

/** Longest text of a message, characters. */
const MAX_TEXT = 4_096

/** Returns as much of a text as fits into a message. */
export const cutToMessage = (text: string): string =>
  [...text].length <= MAX_TEXT ? text : [...text].slice(0, MAX_TEXT).join('')
