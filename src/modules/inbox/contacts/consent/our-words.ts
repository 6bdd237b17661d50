/** What counts as an opt-out in a language, and what the customer is told. */
interface OurWords {
  /** They mean nothing else, so they count at any time. */
  clear: readonly string[]
  /** They may also answer a question, so they do not count while one is open. */
  ambiguous: readonly string[]
  /** Confirms an opt-out. */
  out: string
  /** Behind it; `{word}` is the word with which the customer opts in again. */
  back: string
  /** Confirms an opt-in. */
  in: string
}

/** Our words and replies, by language tag. */
export const OUR_WORDS: Readonly<Record<string, OurWords>> = {
  en: {
    clear: ['STOP', 'UNSUBSCRIBE', 'OPT OUT'],
    ambiguous: [],
    out: 'You will no longer receive offers from us.',
    back: 'To receive them again, write {word}.',
    in: 'You will receive our offers again.',
  },
  ar: {
    clear: ['إلغاء الاشتراك'],
    ambiguous: ['إيقاف', 'توقف'],
    out: 'لن تصلك عروضنا بعد الآن.',
    back: 'لتلقيها مجددًا اكتب {word}.',
    in: 'ستصلك عروضنا من جديد.',
  },
  de: {
    clear: ['STOPP', 'ABBESTELLEN', 'ABMELDEN'],
    ambiguous: ['ENDE'],
    out: 'Sie erhalten keine Angebote mehr von uns.',
    back: 'Mit {word} erhalten Sie sie wieder.',
    in: 'Sie erhalten wieder Angebote von uns.',
  },
  es: {
    clear: ['CANCELAR SUSCRIPCIÓN', 'DARME DE BAJA'],
    ambiguous: ['BAJA', 'BASTA'],
    out: 'Ya no recibirá nuestras ofertas.',
    back: 'Para recibirlas de nuevo, escriba {word}.',
    in: 'Volverá a recibir nuestras ofertas.',
  },
  fr: {
    clear: ['DÉSABONNER', 'DÉSINSCRIRE', 'DÉSINSCRIPTION'],
    ambiguous: ['ARRÊT', 'ARRÊTER'],
    out: 'Vous ne recevrez plus nos offres.',
    back: 'Pour les recevoir à nouveau, écrivez {word}.',
    in: 'Vous recevrez à nouveau nos offres.',
  },
  hi: {
    clear: ['सदस्यता समाप्त करें'],
    ambiguous: ['बंद करें', 'रोकें'],
    out: 'अब आपको हमारे ऑफ़र नहीं मिलेंगे।',
    back: 'इन्हें फिर से पाने के लिए {word} लिखें।',
    in: 'अब आपको हमारे ऑफ़र फिर से मिलेंगे।',
  },
  id: {
    clear: ['BERHENTI BERLANGGANAN'],
    ambiguous: ['BERHENTI'],
    out: 'Anda tidak akan menerima penawaran kami lagi.',
    back: 'Untuk menerimanya kembali, tulis {word}.',
    in: 'Anda akan menerima penawaran kami lagi.',
  },
  it: {
    clear: ['DISISCRIVIMI', 'ANNULLA ISCRIZIONE'],
    ambiguous: ['BASTA'],
    out: 'Non riceverà più le nostre offerte.',
    back: 'Per riceverle di nuovo, scriva {word}.',
    in: 'Riceverà di nuovo le nostre offerte.',
  },
  pt: {
    clear: ['DESCADASTRAR', 'CANCELAR INSCRIÇÃO'],
    ambiguous: ['PARAR', 'SAIR'],
    out: 'Você não receberá mais as nossas ofertas.',
    back: 'Para voltar a recebê-las, escreva {word}.',
    in: 'Você voltará a receber as nossas ofertas.',
  },
  tr: {
    clear: ['ABONELİKTEN ÇIK'],
    ambiguous: ['DUR', 'RET'],
    out: 'Artık tekliflerimizi almayacaksınız.',
    back: 'Yeniden almak için {word} yazın.',
    in: 'Tekliflerimizi yeniden alacaksınız.',
  },
}
