/** The words that ask for a person in every organization. */
const EVERYWHERE = ['agent', 'human']

/**
 * The words and phrases that ask for a person, by language. They count anywhere in a message, so
 * none of them is common in other sentences.
 */
const BY_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  ar: ['موظف', 'ممثل خدمة العملاء', 'شخص حقيقي'],
  de: ['mitarbeiter', 'mitarbeiterin', 'kundenberater', 'ansprechpartner', 'echter mensch'],
  en: ['representative', 'customer service', 'real person'],
  es: ['agente', 'asesor', 'asesora', 'humano', 'persona real'],
  fr: ['conseiller', 'conseillère', 'humain', 'vraie personne'],
  hi: ['एजेंट', 'प्रतिनिधि', 'इंसान'],
  id: ['agen', 'petugas', 'manusia', 'customer service'],
  it: ['operatore', 'operatrice', 'umano', 'persona reale'],
  pt: ['atendente', 'agente', 'humano', 'pessoa real'],
  tr: ['temsilci', 'müşteri temsilcisi', 'gerçek kişi'],
}

/**
 * Returns the default transfer keywords for a language (BCP 47): those of every organization and
 * those of the language, English for a language without words.
 */
export function transferWords(language: string | null): string[] {
  const [primary = ''] = (language ?? '').toLowerCase().split('-')
  return [...EVERYWHERE, ...(BY_LANGUAGE[primary] ?? BY_LANGUAGE['en'] ?? [])]
}
