import { normalText } from './whole-words'

/** Scripts that tell the language. The first one that fits counts: kana comes before Han. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\u0679\u0688\u0691\u06ba\u06d2]/u, 'ur'],
  [/[\u067e\u0686\u0698\u06af\u06a9\u06cc]/u, 'fa'],
  [/\p{sc=Arabic}/u, 'ar'],
  [/\p{sc=Devanagari}/u, 'hi'],
  [/\p{sc=Bengali}/u, 'bn'],
  [/\p{sc=Gujarati}/u, 'gu'],
  [/\p{sc=Tamil}/u, 'ta'],
  [/\p{sc=Telugu}/u, 'te'],
  [/\p{sc=Hebrew}/u, 'he'],
  [/\p{sc=Greek}/u, 'el'],
  [/\p{sc=Thai}/u, 'th'],
  [/\p{sc=Hangul}/u, 'ko'],
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, 'ja'],
  [/\p{sc=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/[ыэё]/iu, 'ru'],
]

/**
 * Words that nearly every text in a language has, without accents. `!` marks what
 * no other language has: a greeting, thanks, today, or a word for a person who answers.
 */
const WORDS: Readonly<Record<string, string>> = {
  de: 'ich sie ihr wir wann wie wo was habe habt haben hat kann konnen konnt mochte bitte danke! guten! tag nicht und oder ein eine einen mein meine ist sind fur mit noch heute gibt es hallo moin! auf bestellung mitarbeiter! geoffnet',
  en: 'the you your what when where how have has do does can could would please thanks! thank! with want need i my is are there this that order today tomorrow of for and hello good morning',
  es: 'hola! gracias! buenos! buenas! dias tardes quiero quisiera necesito tiene tienen cuanto cuando donde esta estan el los las una un por favor pedido mi con puedo hay que como abren y asesor! asesora! hoy! abierto abierta abiertos',
  fr: 'bonjour! merci! bonsoir! salut! je vous nous est quand ou comment avez voudrais veux pouvez puis votre mon ma une un les des le la avec pour pas plait quel quelle combien commande etes ouvert conseiller! conseillere! aujourd',
  id: 'apa apakah ada saya kami anda bisa mau tidak kapan berapa di yang dan untuk dengan pesanan terima kasih! selamat! pagi siang malam buka jam tolong harga halo petugas! bicara',
  it: 'ciao buongiorno! buonasera! grazie! vorrei sono siete avete quando quanto dove come posso mio mia una un il gli con per non che ordine aperti favore ho mi di operatore! operatrice! parlare oggi! aperto',
  nl: 'ik het een jullie wij zijn heb hebben kan wil graag bedankt! dank goedemorgen! goedendag! wanneer hoeveel waar mijn niet met voor bestelling is open de hallo wat en',
  pl: 'dzien dobry! czesc! prosze dziekuje! chce czy jest kiedy gdzie ile mam nie sie na moje zamowienie',
  pt: 'ola! obrigado! obrigada! bom boa tarde dia oi quero gostaria preciso voce voces tem quanto quando onde esta nao uma um por favor pedido meu minha com posso que como e o atendente! falar hoje! aberto aberta abertos',
  ro: 'buna! ziua multumesc! vreau sunt aveti cand unde cat comanda mea este si nu va rog',
  tr: 'merhaba! selam! ve bir bu ne var mi nasil nerede kac zaman saat tesekkurler! tesekkur! lutfen istiyorum siparis siparisim icin gunaydin! iyi gunler fiyat acik misiniz temsilci! temsilciye! temsilcisine! bugun!',
}

/** Letters that few languages have. */
const LETTERS: readonly (readonly [RegExp, string])[] = [
  [/[ñ¿¡]/iu, 'es'],
  [/ß/u, 'de'],
  [/[ãõ]/iu, 'pt'],
  [/[ğı]/u, 'tr'],
  [/[łśźż]/iu, 'pl'],
  [/[țș]/iu, 'ro'],
]

/** What speaks for a language: letters and marked words twice as much as any other word. */
const WEIGHTS: ReadonlyMap<string, readonly { language: string; weight: number }[]> = Map.groupBy(
  Object.entries(WORDS).flatMap(([language, words]) =>
    words.split(' ').map((word) => ({
      word: word.replace('!', ''),
      language,
      weight: word.endsWith('!') ? 2 : 1,
    })),
  ),
  ({ word }) => word,
)

/** What must speak for a language. */
const ENOUGH = 2

/** Characters that are looked at. */
const MAX_TEXT = 1_000

/** Returns the language of a text (BCP 47), or `null` if too little speaks for one. */
export function guessLanguage(text: string): string | null {
  const start = text.slice(0, MAX_TEXT).normalize('NFC')
  const latin = start.match(/\p{sc=Latin}/gu)?.length ?? 0
  const others = start.match(/(?!\p{sc=Latin})\p{L}/gu)?.length ?? 0
  if (others > latin) return SCRIPTS.find(([letters]) => letters.test(start))?.[1] ?? null
  const points = new Map<string, number>()
  const add = (language: string, weight: number): void => {
    points.set(language, (points.get(language) ?? 0) + weight)
  }
  for (const [letters, language] of LETTERS) if (letters.test(start)) add(language, ENOUGH)
  const plain = normalText(start).normalize('NFD').replaceAll(/\p{M}/gu, '')
  for (const word of new Set(plain.match(/\p{L}+/gu)))
    for (const { language, weight } of WEIGHTS.get(word) ?? []) add(language, weight)
  const [best, second] = [...points].toSorted(([, a], [, b]) => b - a)
  return best && best[1] >= ENOUGH && best[1] > (second?.[1] ?? 0) ? best[0] : null
}

/** Returns the language of texts, the newest first: that of the newest that tells, or of all. */
export function languageOfTexts(texts: readonly string[]): string | null {
  for (const text of texts) {
    const language = guessLanguage(text)
    if (language !== null) return language
  }
  return guessLanguage(texts.join('\n'))
}
