import { foldText } from '../../../../lib/fold-text'

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu

/** Terms of a question that are searched for. */
const MAX_TERMS = 32

/** Words of at least this length also match words that only begin like them. */
const MIN_PREFIX = 4

/** Share of a word that another form of it begins with: `deliveries` finds `delivery`. */
const STEM = 0.7

/**
 * Returns the words of a text for the full-text index. Scripts without spaces are cut into
 * overlapping pairs of characters, so that a question finds them without a dictionary.
 */
export const indexedWords = (text: string): string => foldText(text).replaceAll(UNSPACED, pairsOf)

function pairsOf(run: string): string {
  const signs = [...run]
  if (signs.length < 2) return ` ${run} `
  const pairs = signs.slice(1).map((sign, index) => `${signs[index]}${sign}`)
  return ` ${pairs.join(' ')} `
}

const wordsOf = (text: string): string[] => indexedWords(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Returns the full-text query for any word of a question; `null` if it has no word. */
export function questionQuery(question: string): string | null {
  const terms = [...new Set(wordsOf(question))].slice(0, MAX_TERMS).map(termOf)
  return terms.length === 0 ? null : terms.join(' OR ')
}

/**
 * Returns the words of a question that say what it is about, up to 32: without those that are in
 * every question, in the languages of the console, and without greetings and thanks.
 */
export const topicOf = (question: string): string[] =>
  [...new Set(wordsOf(question))].filter((word) => !COMMON.has(word)).slice(0, MAX_TERMS)

/** Returns a question as it is compared with others: its words alone. */
export const spokenWords = (question: string): string => wordsOf(question).join(' ')

/** Reports whether a text has one of these words, or another form of it. */
export function mentions(text: string, topic: readonly string[]): boolean {
  const words = wordsOf(text)
  return topic.some((word) => {
    const stem = stemOf(word)
    return words.some((other) => other === word || (stem !== null && other.startsWith(stem)))
  })
}

/** Numbers and codes are searched for as they are. The word itself counts more than its other forms. */
function termOf(word: string): string {
  const stem = stemOf(word)
  return stem === null ? `"${word}"` : `"${word}" OR "${stem}"*`
}

/** Returns what all forms of a word begin with; `null` if it has no other form. */
const stemOf = (word: string): string | null =>
  word.length < MIN_PREFIX || /\d/.test(word)
    ? null
    : word.slice(0, Math.max(MIN_PREFIX, Math.ceil(word.length * STEM)))

/** Words of any question, folded. */
const COMMON = new Set(
  [
    'a afternoon an and any are at be been can could did day do does evening for from get good got had has have hello hey hi how i if in is it its ll m me mine morning my need no not of ok okay on or our please re s so some t tell thank thanks that the their them then there they this those to us ve want was we were what when where which who why will with would yes you your yours',
    'abend aber als am an auch auf aus bei bin bis bitte da danke dann das dass dem den der des die dies diese dieser doch du ein eine einem einen einer er es euch euer eure fur gibt gute guten habe haben habt hallo hat ich ihnen ihr ihre ihren im in ist ja kann kannst konnen konnt konnte mal man mein meine meinen mich mir mit mochte morgens nach nein nicht noch nur ob oder schon sehr seid sein sich sie sind so tag um und uns unser von war warum was welche welcher welches wann wenn wer wie wieso will wir wird wo wollen wurde zu zum zur',
    'al algun alguna algo buen buenas buenos como con cual cuales cuando cuanta cuanto de del dia dias donde el ella en es esa ese eso esta estan estar este esto favor gracias ha hacen hasta hay hola la las le les lo los me mi mis muy necesito no noches nos o para pero por porque puede pueden puedo que quien quiero quisiera se si sin son su sus tambien tardes te tengo tiene tienen tu un una unas uno unos usted ustedes y ya yo',
    'ao aos as ate bom boa com como da das de dia do dos e ela ele em esse essa esta estao este eu favor foi ha isso isto ja la mais mas me meu meus minha muito na nao no noite nos obrigada obrigado oi ola onde os ou para pela pelo pode podem por porque posso preciso qual quais quando quanta quanto que quem quero se sem ser seu sim sao sobre sua tarde tem tenho tudo um uma voce voces',
    'ال الى إلى أم أن أنا انا أنت انت أو او أي اي أين اين إن بعد بكم تم ثم حتى شكرا عفوا على عن عند عندك عندكم عندي في قبل قد كان كم كيف لا لدي لديكم لكن لم لو ليس ما ماذا مرحبا مساء صباح الخير متى مع من من فضلك منكم نعم هذا هذه هل هنا هو هي و يا يمكن يمكنني يوجد',
  ].flatMap((words) => foldText(words).split(' ')),
)
