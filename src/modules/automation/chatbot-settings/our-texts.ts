/** What the bot says in our words where the organization has not set its own. They are templates. */
export interface OurTexts {
  /** The customer is handed to a person. */
  transfer: string
  /** The same outside business hours. */
  transferClosed: string
  /** Outside business hours. */
  closed: string
  /** The bot cannot go on. */
  failed: string
}

/** Returns a text with the next opening behind it, if there is one. */
const withOpening = (text: string, opening: string): string =>
  `${text}{% if opens_at %} ${opening}{% endif %}`

function texts(
  transfer: string,
  { closed, opens, failed }: { closed: string; opens: string; failed: string },
): OurTexts {
  return {
    transfer,
    transferClosed: `${transfer} ${withOpening(closed, opens)}`,
    closed: withOpening(closed, opens),
    failed,
  }
}

/** Our texts, by language tag. */
export const OUR_TEXTS: Readonly<Record<string, OurTexts>> = {
  ar: texts('سأحوّلك إلى أحد زملائنا، وسيرد عليك هنا.', {
    closed: 'نحن مغلقون الآن.',
    opens: 'نفتح مجددًا: {{ opens_at }}.',
    failed: 'عذرًا، حدث خطأ ما. سيطّلع فريقنا على رسالتك.',
  }),
  de: texts('Ich übergebe an unser Team. Die Antwort kommt hier.', {
    closed: 'Wir haben gerade geschlossen.',
    opens: 'Wir öffnen wieder: {{ opens_at }}.',
    failed: 'Leider ist etwas schiefgegangen. Unser Team sieht sich die Nachricht an.',
  }),
  en: texts('I am handing you over to our team. They will answer you here.', {
    closed: 'We are closed at the moment.',
    opens: 'We open again: {{ opens_at }}.',
    failed: 'Sorry, something went wrong. Our team will look at your message.',
  }),
  es: texts('Paso su consulta a nuestro equipo. Le responderá aquí.', {
    closed: 'En este momento estamos cerrados.',
    opens: 'Volvemos a abrir: {{ opens_at }}.',
    failed: 'Lo sentimos, algo ha fallado. Nuestro equipo verá su mensaje.',
  }),
  fr: texts('Je vous mets en relation avec notre équipe. Elle vous répondra ici.', {
    closed: 'Nous sommes actuellement fermés.',
    opens: 'Prochaine ouverture : {{ opens_at }}.',
    failed: 'Désolé, un problème est survenu. Notre équipe va lire votre message.',
  }),
  hi: texts('मैं आपकी बात हमारी टीम तक पहुँचा रहा हूँ। वे आपको यहीं जवाब देंगे।', {
    closed: 'हम अभी बंद हैं।',
    opens: 'हम फिर खुलेंगे: {{ opens_at }}।',
    failed: 'क्षमा करें, कुछ गड़बड़ हो गई। हमारी टीम आपका संदेश देखेगी।',
  }),
  id: texts('Saya teruskan Anda ke tim kami. Mereka akan menjawab di sini.', {
    closed: 'Saat ini kami tutup.',
    opens: 'Kami buka lagi: {{ opens_at }}.',
    failed: 'Maaf, terjadi kesalahan. Tim kami akan melihat pesan Anda.',
  }),
  it: texts('La metto in contatto con il nostro team. Le risponderà qui.', {
    closed: 'Al momento siamo chiusi.',
    opens: 'Riapriamo: {{ opens_at }}.',
    failed: 'Ci dispiace, qualcosa è andato storto. Il nostro team leggerà il Suo messaggio.',
  }),
  pt: texts('Vou passar a conversa para a nossa equipe. A resposta virá por aqui.', {
    closed: 'No momento estamos fechados.',
    opens: 'Abrimos novamente: {{ opens_at }}.',
    failed: 'Desculpe, algo deu errado. Nossa equipe vai ver a sua mensagem.',
  }),
  tr: texts('Sizi ekibimize aktarıyorum. Size buradan yanıt verecekler.', {
    closed: 'Şu anda kapalıyız.',
    opens: 'Yeniden açılış: {{ opens_at }}.',
    failed: 'Üzgünüz, bir sorun oluştu. Ekibimiz mesajınıza bakacak.',
  }),
}
