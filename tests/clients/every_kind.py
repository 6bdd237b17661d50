"""Sends every kind of message, and asks for facts, with pywa. Ends with 1 if the platform refuses one."""

import os
import pathlib
import sys
import warnings

import httpx
from pywa import WhatsApp
from pywa.types import (
    Button,
    CallPermissionRequestButton,
    Contact,
    FlowActionType,
    FlowButton,
    ImageCarouselCard,
    ProductsSection,
    Section,
    SectionList,
    SectionRow,
    URLButton,
    VoiceCallButton,
)
from pywa.types.templates import TemplateLanguage

warnings.simplefilter("ignore")
platform, to, wamid = (os.environ[name] for name in ("PLATFORM", "TO", "WAMID"))
voice = pathlib.Path("voice.ogg")
voice.write_bytes(b"bytes")


class Simulated(httpx.HTTPTransport):
    """Sends to the simulator what the library sends to its fixed address."""

    def handle_request(self, request):
        url = httpx.URL(str(request.url).replace("https://graph.facebook.com", platform))
        request.url, request.headers["host"] = url, url.netloc.decode()
        return super().handle_request(request)


wa = WhatsApp(
    phone_id=os.environ["PHONE_ID"],
    waba_id=os.environ["WABA_ID"],
    token=os.environ["TOKEN"],
    session=httpx.Client(transport=Simulated()),
)
row = SectionRow(title="One", callback_data="1")
card = {"buttons": URLButton("Open", "https://example.com"), "image": "https://example.com/a.jpg"}
kinds = {
    "text": lambda: wa.send_message(to, "See https://example.com", preview_url=True),
    "reply": lambda: wa.send_message(to, "Yes", reply_to_message_id=wamid),
    "buttons": lambda: wa.send_message(to, "Well?", buttons=[Button("Yes", "yes"), Button("No", "no")]),
    "list": lambda: wa.send_message(to, "Which?", buttons=SectionList("Choose", [Section("A", [row])])),
    "link": lambda: wa.send_message(to, "Look", buttons=URLButton("Open", "https://example.com")),
    "flow": lambda: wa.send_message(
        to, "Fill in", buttons=FlowButton("Begin", flow_id="7", flow_action_type=FlowActionType.NAVIGATE, flow_action_screen="START")
    ),
    "call": lambda: wa.send_message(to, "Call us", buttons=VoiceCallButton("Call")),
    "permission to call": lambda: wa.send_message(to, "May we?", buttons=CallPermissionRequestButton()),
    "image": lambda: wa.send_image(to, b"bytes", caption="Look", mime_type="image/jpeg"),
    "video": lambda: wa.send_video(to, b"bytes", mime_type="video/mp4"),
    "audio": lambda: wa.send_audio(to, b"bytes", mime_type="audio/mpeg"),
    "voice": lambda: wa.send_voice(to, voice),
    "document": lambda: wa.send_document(to, b"bytes", filename="terms.pdf", mime_type="application/pdf"),
    "sticker": lambda: wa.send_sticker(to, b"bytes", mime_type="image/webp"),
    "reaction": lambda: wa.send_reaction(to, "👍", wamid),
    "no reaction": lambda: wa.remove_reaction(to, wamid),
    "location": lambda: wa.send_location(to, 52.5, 13.4, name="Office", address="1 Main Road"),
    "request for a location": lambda: wa.request_location(to, "Where?"),
    "request for the number": lambda: wa.request_contact_info(to, "Your number?"),
    "contact": lambda: wa.send_contact(to, Contact(name=Contact.Name(formatted_name="Ana Sol", first_name="Ana"))),
    "catalog": lambda: wa.send_catalog(to, "Our goods", thumbnail_product_sku="sku-1"),
    "product": lambda: wa.send_product(to, catalog_id="4", sku="sku-1"),
    "products": lambda: wa.send_products(
        to, catalog_id="4", product_sections=[ProductsSection("All", ["sku-1"])], title="Goods", body="Our goods"
    ),
    "carousel": lambda: wa.send_carousel(to, body="Look", cards=[ImageCarouselCard(**card), ImageCarouselCard(**card)]),
    "template": lambda: wa.send_template(to, "hello_world", TemplateLanguage.ENGLISH_US, []),
    "read receipt": lambda: wa.mark_message_as_read(wamid),
    "typing": lambda: wa.indicate_typing(wamid),
    "facts of the number": lambda: wa.get_business_phone_number(),
    "numbers of the account": lambda: list(wa.get_business_phone_numbers()),
    "profile": lambda: wa.get_business_profile(),
}
failed = 0
for kind, send in kinds.items():
    try:
        send()
    except Exception as error:
        failed += 1
        print(f"{kind}: {type(error).__name__}: {str(error)[:300]}")
number = wa.get_business_phone_number()
assert number.quality_score == {"score": "GREEN"}, number
print(f"{len(kinds) - failed} of {len(kinds)}")
sys.exit(1 if failed else 0)
