"""Names of kings, queens and popes, after which a Roman numeral is their number."""

_KINGS = {  # by language
    "en": (
        "Henry Louis Charles George Edward James William Richard Paul Pius Benedict Leo Gregory "
        "Clement Innocent Urban Alexander Philip Ferdinand Peter Ivan Nicholas Frederick Wilhelm "
        "Napoleon Ramses Ramesses Thutmose Amenhotep Seti Darius Xerxes Ptolemy Constantine "
        "Theodosius Otto Leopold Joseph Christian Harald Haakon Olav Olaf Gustav Gustavus Carl "
        "Karl Oscar Umberto Emmanuel Emanuel Alfonso Carlos Felipe Pedro Manuel Albert Baldwin "
        "Hassan Mohammed Muhammad Abdullah Mehmed Murad Selim Suleiman Rama Sigismund Stephen "
        "Robert Malcolm David Friedrich Heinrich Rudolf Maximilian Francis John Boniface Sixtus"
    ),
    "de": (
        "Heinrich Ludwig Karl Georg Eduard Jakob Wilhelm Richard Paul Pius Benedikt Leo Gregor "
        "Klemens Clemens Innozenz Urban Alexander Philipp Ferdinand Peter Iwan Nikolaus Friedrich "
        "Napoleon Ramses Thutmosis Amenophis Sethos Dareios Xerxes Ptolemaios Konstantin Otto "
        "Leopold Joseph Josef Christian Harald Gustav Carl Oskar Umberto Emanuel Alfons Albert "
        "Mehmed Maximilian Rudolf Franz Johannes Bonifatius Sixtus Konrad Lothar Felipe Charles"
    ),
    "es": (
        "Felipe Alfonso Carlos Fernando Enrique Luis Jorge Eduardo Jacobo Guillermo Pablo Pío "
        "Benedicto León Gregorio Clemente Inocencio Urbano Alejandro Pedro Iván Nicolás Federico "
        "Napoleón Ramsés Darío Jaime Sancho Juan Leopoldo Alberto Gustavo"
    ),
    "pt": (
        "João Pedro Manuel Afonso Sancho Dinis Fernando Filipe José Miguel Luís Carlos Henrique "
        "Jorge Eduardo Paulo Pio Bento Leão Gregório Clemente Alexandre Napoleão Ramsés Nicolau "
        "Frederico"
    ),
    "it": (
        "Luigi Enrico Carlo Giorgio Edoardo Giacomo Guglielmo Riccardo Paolo Pio Benedetto Leone "
        "Gregorio Clemente Innocenzo Urbano Alessandro Filippo Ferdinando Pietro Ivan Nicola "
        "Federico Napoleone Ramses Dario Costantino Ottone Leopoldo Giuseppe Cristiano Gustavo "
        "Umberto Emanuele Alfonso Alberto Amedeo Cosimo Lorenzo Massimiliano Rodolfo Francesco "
        "Giovanni Bonifacio Sisto Martino Eugenio Niccolò Giulio Celestino Stefano Roberto"
    ),
    "nl": (
        "Willem Karel Lodewijk Filips Hendrik George Eduard Paulus Pius Benedictus Gregorius "
        "Napoleon Leopold Albert Boudewijn"
    ),
    "sv": (
        "Karl Carl Gustav Gustaf Oscar Erik Johan Henrik Ludvig Georg Paulus Pius Napoleon "
        "Christian Fredrik Harald Olof Filip"
    ),
}
_QUEENS = {  # by language
    "en": "Elizabeth Mary Catherine Isabella Margaret Margrethe Cleopatra Anna",
    "de": "Elisabeth Maria Katharina Isabella Margarethe Margrethe Kleopatra Anna Elizabeth",
    "es": "Isabel María Catalina Margarita Cleopatra Ana",
    "it": "Elisabetta Maria Caterina Isabella Margherita Cleopatra Anna Giovanna",
    "pt": "Maria Isabel Catarina Margarida Cleópatra Ana",
}
_FRENCH = (
    "Henri Louis Charles François Philippe Jean Robert Napoléon Clovis Dagobert Childéric Thierry "
    "Clotaire Pépin Édouard Edouard Georges Jacques Guillaume Richard Paul Pie Benoît Léon "
    "Grégoire Clément Innocent Urbain Alexandre Ferdinand Pierre Ivan Nicolas Frédéric Ramsès "
    "Darius Xerxès Ptolémée Constantin Othon Léopold Joseph Christian Harald Gustave Oscar Albert "
    "Baudouin Rainier Hassan Mohammed Élisabeth Elisabeth Marie Catherine Isabelle Marguerite "
    "Cléopâtre Anne Elizabeth Carlos Felipe"
)
_RUSSIAN = {  # by gender and case
    "m n": (
        "Пётр Петр Николай Александр Иван Павел Людовик Генрих Карл Георг Эдуард Вильгельм Филипп "
        "Фридрих Наполеон Рамсес Пий Бенедикт Григорий Иоанн Чарльз Фёдор Василий Леопольд Густав "
        "Птолемей Дарий Ксеркс"
    ),
    "m g": (
        "Петра Николая Александра Ивана Павла Людовика Генриха Карла Георга Эдуарда Вильгельма "
        "Филиппа Фридриха Наполеона Рамсеса Пия Бенедикта Григория Иоанна Чарльза Фёдора Василия "
        "Леопольда Густава Птолемея Дария Ксеркса"
    ),
    "f n": "Екатерина Елизавета Мария Анна Клеопатра Изабелла Маргарита",
    "f g": "Екатерины Елизаветы Марии Анны Клеопатры Изабеллы Маргариты",
    "m p": (
        "Петре Николае Александре Иване Павле Людовике Генрихе Карле Георге Филиппе Фридрихе "
        "Наполеоне Григории Иоанне Василии"
    ),
    "f p": "Екатерине Елизавете Анне Клеопатре Изабелле Маргарите",
}
_POLISH = {  # by the ending of the ordinal
    "y": (
        "Jan Paweł Zygmunt August Stanisław Kazimierz Bolesław Mieszko Władysław Henryk Ludwik "
        "Karol Jerzy Edward Wilhelm Filip Mikołaj Aleksander Fryderyk Napoleon Pius Benedykt "
        "Grzegorz Leon Ramzes"
    ),
    "ego": (
        "Jana Pawła Zygmunta Augusta Stanisława Kazimierza Bolesława Mieszka Władysława Henryka "
        "Ludwika Karola Jerzego Edwarda Wilhelma Filipa Mikołaja Aleksandra Fryderyka Napoleona "
        "Piusa Benedykta Grzegorza Leona Ramzesa"
    ),
    "a": "Elżbieta Katarzyna Maria Anna Kleopatra Izabela Małgorzata",
    "ej": "Elżbiety Katarzyny Marii Anny Kleopatry Izabeli Małgorzaty",
}
KINGS, QUEENS = (
    {base: frozenset(names.split()) for base, names in lists.items()} for lists in (_KINGS, _QUEENS)
)
FRENCH = frozenset(_FRENCH.split())
RUSSIAN, POLISH = (
    {name: form for form, names in lists.items() for name in names.split()}
    for lists in (_RUSSIAN, _POLISH)
)
