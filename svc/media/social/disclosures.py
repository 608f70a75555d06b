"""The sentence that says how a video was made, in every language of the narration."""

_SENTENCES = {
    "en": "This video was made by software, and its voice is synthetic",
    "de": "Dieses Video wurde von Software erstellt, und seine Stimme ist synthetisch",
    "fr": "Cette vidéo a été réalisée par un logiciel, et sa voix est synthétique",
    "es": "Este vídeo se ha creado con software y su voz es sintética",
    "es-419": "Este video se creó con software y su voz es sintética",
    "it": "Questo video è stato creato da un software e la sua voce è sintetica",
    "pt": "Este vídeo foi criado por software e a sua voz é sintética",
    "ca": "Aquest vídeo s’ha creat amb programari i la seva veu és sintètica",
    "ro": "Acest videoclip a fost creat de un software, iar vocea este sintetică",
    "nl": "Deze video is door software gemaakt en de stem is synthetisch",
    "sv": "Den här videon är gjord av programvara och rösten är syntetisk",
    "nb": "Denne videoen er laget av programvare, og stemmen er syntetisk",
    "da": "Denne video er lavet af software, og stemmen er syntetisk",
    "fi": "Tämän videon on tehnyt ohjelmisto, ja sen ääni on synteettinen",
    "et": "Selle video on teinud tarkvara ja selle hääl on sünteetiline",
    "hu": "Ezt a videót szoftver készítette, a hangja szintetikus",
    "lv": "Šo video ir veidojusi programmatūra, un tā balss ir sintētiska",
    "lt": "Šį vaizdo įrašą sukūrė programinė įranga, o jo balsas yra sintetinis",
    "pl": "Ten film został stworzony przez oprogramowanie, a jego głos jest syntetyczny",
    "cs": "Toto video vytvořil software a jeho hlas je syntetický",
    "sk": "Toto video vytvoril softvér a jeho hlas je syntetický",
    "sl": "Ta video je izdelala programska oprema, njegov glas je sintetičen",
    "hr": "Ovaj videozapis izradio je softver, a glas mu je sintetičan",
    "sr": "Овај видео је направио софтвер, а глас је синтетички",
    "mk": "Ова видео е направено од софтвер, а гласот е синтетички",
    "bg": "Това видео е създадено от софтуер, а гласът му е синтетичен",
    "ru": "Это видео создано программой, голос в нём синтетический",
    "uk": "Це відео створене програмою, голос у ньому синтетичний",
    "el": "Αυτό το βίντεο δημιουργήθηκε από λογισμικό και η φωνή του είναι συνθετική",
    "tr": "Bu video yazılımla hazırlandı, sesi sentetiktir",
    "id": "Video ini dibuat oleh perangkat lunak dan suaranya sintetis",
    "ms": "Video ini dibuat oleh perisian dan suaranya sintetik",
    "vi": "Video này do phần mềm tạo ra và giọng nói là giọng tổng hợp",
    "sw": "Video hii imetengenezwa na programu ya kompyuta, na sauti yake ni ya kompyuta",
    "ar": "أُنشئ هذا الفيديو ببرنامج حاسوبي، وصوته اصطناعي",
    "fa": "این ویدیو را نرم‌افزار ساخته و صدای آن مصنوعی است",
    "ur": "یہ ویڈیو سافٹ ویئر نے بنائی ہے اور اس کی آواز مصنوعی ہے",
    "hi": "यह वीडियो सॉफ़्टवेयर ने बनाया है और इसकी आवाज़ कृत्रिम है",
    "ja": "この動画はソフトウェアで制作され、音声は合成音声です",
    "zh": "本视频由软件制作，语音为合成语音",
    "zh-TW": "本影片由軟體製作，語音為合成語音",
    "ko": "이 영상은 소프트웨어로 제작되었으며 음성은 합성 음성입니다",
    "th": "วิดีโอนี้จัดทำโดยซอฟต์แวร์ และเสียงเป็นเสียงสังเคราะห์",
    "he": "הסרטון הזה נוצר באמצעות תוכנה, והקול שלו מלאכותי",
}
_FULL_STOPS = {"hi": "।", "ur": "۔", "ja": "。", "zh": "。", "zh-TW": "。", "th": ""}


def disclosure_sentence(language: str, models: list[str]) -> str:
    """Return the disclosure in ``language``, in English if it has none.

    ``models``: the trained models that took part.
    """
    code = next(
        (code for code in (language, language.partition("-")[0]) if code in _SENTENCES), "en"
    )
    named = f" ({', '.join(models)})" if models else ""
    return f"{_SENTENCES[code]}{named}{_FULL_STOPS.get(code, '.')}"
